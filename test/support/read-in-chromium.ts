/** Reads the text of a page from Chromium's accessibility tree. This text includes additions of a stylesheet. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { settled } from './soon.ts';

/** Returns the texts of a page in the order of its elements. */
export async function readInChromium(url: string): Promise<string[]> {
  return (await visitInChromium(url)).texts;
}

export interface VisitedPage {
  readonly texts: string[];
  /** The levels of the page's headings, in the order of its elements. */
  readonly headingLevels: readonly number[];
  /** Chromium's complaints: errors and warnings of the console, and violations of the page's Content-Security-Policy. */
  readonly problems: readonly string[];
}

/** Loads a page, and waits until its accessibility tree is complete. */
export async function visitInChromium(url: string): Promise<VisitedPage> {
  const profile = await mkdtemp(join(tmpdir(), 'waypost-chromium-'));
  const flags = ['--headless=new', '--no-sandbox', '--disable-gpu', '--remote-debugging-pipe'];
  const chromium = spawn('chromium', [...flags, `--user-data-dir=${profile}`], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'],
  });
  const exited = once(chromium, 'exit');
  try {
    const devTools = new DevTools(chromium.stdio[3] as Writable, chromium.stdio[4] as Readable);
    const { targetId } = await devTools.call('Target.createTarget', { url: 'about:blank' });
    const { sessionId } = await devTools.call('Target.attachToTarget', { targetId, flatten: true });
    for (const domain of ['Log', 'Runtime', 'Audits', 'Accessibility']) {
      await devTools.call(`${domain}.enable`, {}, sessionId);
    }
    await devTools.call('Page.navigate', { url }, sessionId);
    // The page's load event is too early: the tree may still lack parts of the document.
    await devTools.event('Accessibility.loadComplete', ({ root }) => urlOf(root) === url);
    const { nodes } = await devTools.call('Accessibility.getFullAXTree', {}, sessionId);
    return {
      texts: nodes.filter(isText).map((node: AccessibilityNode) => node.name.value),
      headingLevels: nodes.filter(isHeading).map(levelOf),
      problems: devTools.problems(),
    };
  } finally {
    chromium.kill();
    await exited;
    await rm(profile, { recursive: true, maxRetries: 5 });
  }
}

interface AccessibilityNode {
  readonly role: { readonly value: string };
  readonly name: { readonly value: string };
  readonly properties?: readonly { readonly name: string; readonly value: { readonly value: unknown } }[];
}

function isText({ role }: AccessibilityNode): boolean {
  return role.value === 'StaticText';
}

function isHeading({ role }: AccessibilityNode): boolean {
  return role.value === 'heading';
}

function levelOf({ properties = [] }: AccessibilityNode): number {
  return Number(properties.find(({ name }) => name === 'level')?.value.value);
}

interface DevToolsEvent {
  readonly method: string;
  // biome-ignore lint/suspicious/noExplicitAny: events of every shape.
  readonly params: any;
}

function urlOf({ properties = [] }: AccessibilityNode): unknown {
  return properties.find(({ name }) => name === 'url')?.value.value;
}

/** The DevTools protocol over a pipe: JSON messages, each ended by a zero byte. */
class DevTools {
  readonly #to: Writable;
  // biome-ignore lint/suspicious/noExplicitAny: results of every shape.
  readonly #calls = new Map<number, (result: any) => void>();
  readonly #events: DevToolsEvent[] = [];
  #eventCame = () => {};

  constructor(to: Writable, from: Readable) {
    this.#to = to;
    let rest = '';
    from.setEncoding('utf8').on('data', (text: string) => {
      const messages = (rest + text).split('\0');
      rest = messages.pop() ?? '';
      for (const message of messages.map((json) => JSON.parse(json))) this.#receive(message);
    });
  }

  #receive(message: DevToolsEvent & { id?: number; result?: unknown }): void {
    if (message.id === undefined) {
      this.#events.push(message);
      this.#eventCame();
    } else this.#calls.get(message.id)?.(message.result);
  }

  // biome-ignore lint/suspicious/noExplicitAny: results of every shape.
  call(method: string, params: object, sessionId?: string): Promise<any> {
    const id = this.#calls.size + 1;
    this.#to.write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
    const answer = new Promise((resolve) => this.#calls.set(id, resolve));
    return settled(answer, `${method} of Chromium`);
  }

  problems(): string[] {
    return this.#events.flatMap(({ method, params }) => {
      if (method === 'Runtime.exceptionThrown') return [`exception: ${params.exceptionDetails.text}`];
      if (method === 'Audits.issueAdded') return [`issue: ${params.issue.code}`];
      if (method !== 'Log.entryAdded') return [];
      const { level, text } = params.entry;
      return level === 'error' || level === 'warning' ? [`${level}: ${text}`] : [];
    });
  }

  /** Resolves when a matching event has come. It may have come before this call. */
  async event(method: string, matches: (params: DevToolsEvent['params']) => boolean): Promise<void> {
    while (!this.#events.some((event) => event.method === method && matches(event.params))) {
      const came = new Promise<void>((resolve) => {
        this.#eventCame = resolve;
      });
      await settled(came, `${method} of Chromium`);
    }
  }
}
