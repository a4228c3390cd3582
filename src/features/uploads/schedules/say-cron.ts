/** Says the times of a schedule in words for people. */
import type { Times } from './cron.ts';

const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const NUMBER = /^\d+$/;
const STEP = /^\*\/(\d+)$/;

/** Says times as in “Every day at 06:00 Europe/Berlin”. Times that need more words are shown as they are. */
export function sayTimes({ cron, timezone }: Times): string {
  const [minute = '', hour = '', day = '', month = '', weekday = ''] = cron.split(' ');
  const everyDay = day === '*' && month === '*';
  const said = everyDay && weekday === '*' && hour === '*' ? sayMinutes(minute) : undefined;
  if (said !== undefined) return said;
  const clock = sayClock(minute, hour);
  const days = everyDay ? sayDays(weekday) : undefined;
  if (clock !== undefined && days !== undefined) return `${days} ${clock} ${timezone}`;
  if (clock !== undefined && NUMBER.test(day) && month === '*' && weekday === '*') {
    return `On day ${Number(day)} of each month ${clock} ${timezone}`;
  }
  return `At ${cron}, ${timezone}`;
}

function sayMinutes(minute: string): string | undefined {
  const [, step] = STEP.exec(minute) ?? [];
  if (step !== undefined && 60 % Number(step) === 0) return `Every ${step} minutes`;
  return NUMBER.test(minute) ? `Every hour at :${minute.padStart(2, '0')}` : undefined;
}

function sayClock(minute: string, hour: string): string | undefined {
  const hours = hour.split(',');
  if (!NUMBER.test(minute) || !hours.every((one) => NUMBER.test(one))) return undefined;
  const times = hours.map((one) => `${one.padStart(2, '0')}:${minute.padStart(2, '0')}`);
  return `at ${[times.slice(0, -1).join(', '), times.at(-1)].filter(Boolean).join(' and ')}`;
}

function sayDays(weekday: string): string | undefined {
  if (weekday === '*') return 'Every day';
  if (/^(?:1-5|mon-fri)$/i.test(weekday)) return 'From Monday to Friday';
  const days = weekday.split(',').map((one) => {
    const number = NUMBER.test(one)
      ? Number(one) % 7
      : DAYS.findIndex((name) => name.toLowerCase().startsWith(one.toLowerCase()));
    return one.length > 2 || NUMBER.test(one) ? DAYS[number] : undefined;
  });
  if (days.includes(undefined)) return undefined;
  return `Every ${[days.slice(0, -1).join(', '), days.at(-1)].filter(Boolean).join(' and ')}`;
}
