/** The text that Chromium shows for a page, from its accessibility tree: this includes text that a stylesheet adds. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';

/** Returns the texts of a page in the order of its elements. */
export async function readInChromium(url: string): Promise<string[]> {
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
    await devTools.call('Page.enable', {}, sessionId);
    const loaded = devTools.next('Page.loadEventFired');
    await devTools.call('Page.navigate', { url }, sessionId);
    await loaded;
    const { nodes } = await devTools.call('Accessibility.getFullAXTree', {}, sessionId);
    return nodes.filter(isText).map((node: AccessibilityNode) => node.name.value);
  } finally {
    chromium.kill();
    await exited;
    await rm(profile, { recursive: true, maxRetries: 5 });
  }
}

interface AccessibilityNode {
  readonly role: { readonly value: string };
  readonly name: { readonly value: string };
}

function isText({ role }: AccessibilityNode): boolean {
  return role.value === 'StaticText';
}

/** The DevTools protocol over a pipe: JSON messages, each ended by a zero byte. */
class DevTools {
  readonly #to: Writable;
  // biome-ignore lint/suspicious/noExplicitAny: messages of every shape.
  readonly #waiting = new Map<number | string, (result: any) => void>();
  #calls = 0;

  constructor(to: Writable, from: Readable) {
    this.#to = to;
    let rest = '';
    from.setEncoding('utf8').on('data', (text: string) => {
      const messages = (rest + text).split('\0');
      rest = messages.pop() ?? '';
      for (const { id, method, result } of messages.map((message) => JSON.parse(message))) {
        this.#waiting.get(id ?? method)?.(result);
      }
    });
  }

  // biome-ignore lint/suspicious/noExplicitAny: results of every shape.
  call(method: string, params: object, sessionId?: string): Promise<any> {
    const id = ++this.#calls;
    this.#to.write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
    return new Promise((resolve) => this.#waiting.set(id, resolve));
  }

  next(method: string): Promise<unknown> {
    return new Promise((resolve) => this.#waiting.set(method, resolve));
  }
}
