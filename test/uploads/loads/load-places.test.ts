import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { LoadPlaces, WorkMeter } from '../../../src/features/uploads/loads/load-places.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
afterEach(() => void vi.useRealTimers());

const JUDGED_MS = 30_000;
const ALL = 16;

/** Works during `share` of the time. */
function pass(ms: number, meter: WorkMeter, share: number): void {
  const working = meter.work();
  vi.advanceTimersByTime(share * ms);
  working[Symbol.dispose]();
  vi.advanceTimersByTime((1 - share) * ms);
}

test('a load that waits for its hosts gives its place back, and takes it again when it works', () => {
  const places = new LoadPlaces();
  const meter = new WorkMeter();
  using _load = places.hold(meter);
  expect(places.free()).toBe(ALL - 1);
  pass(JUDGED_MS - 1, meter, 0.05);
  expect(places.free()).toBe(ALL - 1);
  pass(JUDGED_MS, meter, 0.05);
  expect(places.free()).toBe(ALL);
  pass(JUDGED_MS, meter, 0.2);
  expect(places.free()).toBe(ALL - 1);
});

test('a load that works all the time, and one whose object works since long, hold their places', () => {
  const places = new LoadPlaces();
  const meters = [new WorkMeter(), new WorkMeter()];
  const loads = meters.map((meter) => places.hold(meter));
  meters[0]!.work();
  meters[1]!.work();
  meters[1]!.work()[Symbol.dispose]();
  for (let i = 0; i < 3; i++) {
    vi.advanceTimersByTime(JUDGED_MS);
    expect(places.free()).toBe(ALL - 2);
  }
  loads[0]![Symbol.dispose]();
  expect(places.free()).toBe(ALL - 1);
});

test('loads that work again hold more than all places, and none begins', () => {
  const places = new LoadPlaces();
  const meters = Array.from({ length: ALL + 4 }, () => new WorkMeter());
  for (const meter of meters) places.hold(meter);
  vi.advanceTimersByTime(JUDGED_MS);
  expect(places.free()).toBe(ALL);
  for (const meter of meters) meter.work();
  vi.advanceTimersByTime(JUDGED_MS);
  expect(places.free()).toBe(0);
});
