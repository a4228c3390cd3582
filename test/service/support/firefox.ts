/**
 * Firefox, driven by WebDriver BiDi over Node's own WebSocket. Playwright drives only its own build of it.
 * What the pages write to the console as an error fails the test.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, afterEach, expect, vi } from 'vitest';
import { SOON } from '../../support/soon.ts';
import { createFolder } from './waypost.ts';

export interface FirefoxPage {
  open(url: string): Promise<void>;
  /** The value of an expression in the page. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look at values of every kind.
  evaluate(expression: string): Promise<any>;
  /** Waits until the page has an element of this selector with this text, as its text or its label. */
  waitFor(selector: string, text?: string): Promise<void>;
  click(selector: string, text?: string): Promise<void>;
  /** Into the input of a label. */
  type(selector: string, text: string): Promise<void>;
  setFiles(selector: string, files: readonly string[]): Promise<void>;
}

/** Nothing is asked of the network on its own account. */
const PREFERENCES = {
  'browser.shell.checkDefaultBrowser': false,
  'network.captive-portal-service.enabled': false,
  'network.connectivity-service.enabled': false,
  'datareporting.policy.dataSubmissionEnabled': false,
  'app.normandy.enabled': false,
  'extensions.update.enabled': false,
  'services.settings.server': 'data:,#remote-settings-dummy/v1',
};
const AIM = `(element) => {
  element.scrollIntoView({ block: 'center' });
  globalThis.hit = new Promise((resolve) =>
    element.addEventListener('click', () => resolve(true), { once: true, capture: true }));
}`;
const IS_HIT = '() => Promise.race([globalThis.hit, new Promise((no) => setTimeout(no, 1000, false))])';
const LISTENS = /WebDriver BiDi listening on (ws:\S+)/;

/** Call it at the top of a suite. It ends with it. */
export async function useFirefox(): Promise<FirefoxPage> {
  const profile = await createFolder();
  const lines = Object.entries(PREFERENCES).map(
    ([name, value]) => `user_pref("${name}", ${JSON.stringify(value)});`,
  );
  await writeFile(join(profile.path, 'user.js'), lines.join('\n'));
  const flags = ['--headless', '--no-remote', '--remote-debugging-port=0', '--profile', profile.path];
  const firefox = spawn('firefox-esr', flags, { stdio: ['ignore', 'ignore', 'pipe'] });
  const exited = once(firefox, 'exit');
  const bidi = await Bidi.open(await addressIn(firefox.stderr));
  afterEach(() => expect(bidi.problems.splice(0), 'what Firefox complains about').toEqual([]));
  afterAll(async () => {
    bidi.close();
    firefox.kill();
    await exited;
    await profile[Symbol.asyncDispose]();
  });
  await bidi.call('session.new', { capabilities: {} });
  await bidi.call('session.subscribe', { events: ['log.entryAdded'] });
  const { contexts } = await bidi.call('browsingContext.getTree', {});
  return pageOf(bidi, contexts[0].context);
}

async function addressIn(stderr: NodeJS.ReadableStream): Promise<string> {
  const said: string[] = [];
  for await (const line of createInterface(stderr)) {
    const address = LISTENS.exec(line)?.[1];
    if (address !== undefined) {
      stderr.resume();
      return address;
    }
    said.push(line);
  }
  throw new Error(`Firefox did not start: ${said.join('\n')}`);
}

function pageOf(bidi: Bidi, context: string): FirefoxPage {
  const evaluateRaw = async (expression: string) => {
    const options = { expression, target: { context }, awaitPromise: true };
    const { type, result, exceptionDetails } = await bidi.call('script.evaluate', options);
    if (type === 'exception') throw new Error(`${expression}: ${exceptionDetails.text}`);
    return result;
  };
  const find = (selector: string, text = '') =>
    vi.waitFor(async () => {
      const found =
        await evaluateRaw(`[...document.querySelectorAll(${JSON.stringify(selector)})].find((each) =>
        each.checkVisibility() && (each.labels?.[0] ?? each).textContent.includes(${JSON.stringify(text)}))`);
      expect(found.type, `${selector} with "${text}"`).toBe('node');
      return { sharedId: found.sharedId };
    }, SOON);
  const perform = (actions: object) => bidi.call('input.performActions', { context, actions: [actions] });
  const callOn = async (element: object, functionDeclaration: string) => {
    const parameters = { functionDeclaration, arguments: [element], awaitPromise: true };
    return (await bidi.call('script.callFunction', { ...parameters, target: { context } })).result?.value;
  };
  // The page may move under the mouse, as when a preview appears. So what counts is that the element was clicked.
  const click: FirefoxPage['click'] = (selector, text) =>
    vi.waitFor(async () => {
      const element = await find(selector, text);
      await callOn(element, AIM);
      const move = { type: 'pointerMove', x: 0, y: 0, origin: { type: 'element', element } };
      const press = [
        { type: 'pointerDown', button: 0 },
        { type: 'pointerUp', button: 0 },
      ];
      await perform({ type: 'pointer', id: 'mouse', actions: [move, ...press] });
      expect(await callOn(element, IS_HIT), `a click on ${selector} with "${text}"`).toBe(true);
    }, SOON);
  return {
    open: (url) => bidi.call('browsingContext.navigate', { context, url, wait: 'complete' }),
    evaluate: async (expression) =>
      JSON.parse((await evaluateRaw(`JSON.stringify(${expression} ?? null)`)).value),
    waitFor: async (selector, text) => void (await find(selector, text)),
    click,
    async type(selector, text) {
      await click(selector);
      const strokes = [...text].flatMap((value) => [
        { type: 'keyDown', value },
        { type: 'keyUp', value },
      ]);
      await perform({ type: 'key', id: 'keyboard', actions: strokes });
    },
    async setFiles(selector, files) {
      await bidi.call('input.setFiles', { context, element: await find(selector), files });
    },
  };
}

/** Commands and their results, over one connection. */
class Bidi {
  readonly problems: string[] = [];
  readonly #socket: WebSocket;
  // biome-ignore lint/suspicious/noExplicitAny: results of every shape.
  readonly #calls = new Map<number, PromiseWithResolvers<any>>();
  #lastId = 0;

  constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.addEventListener('message', ({ data }) => this.#receive(JSON.parse(data)));
    socket.addEventListener('close', () => {
      for (const { reject } of this.#calls.values()) reject(new Error('Firefox has ended'));
    });
  }

  static async open(address: string): Promise<Bidi> {
    const socket = new WebSocket(`${address}/session`);
    await once(socket, 'open');
    return new Bidi(socket);
  }

  // biome-ignore lint/suspicious/noExplicitAny: results of every shape.
  call(method: string, params: object): Promise<any> {
    const id = ++this.#lastId;
    const answer = Promise.withResolvers();
    this.#calls.set(id, answer);
    this.#socket.send(JSON.stringify({ id, method, params }));
    return answer.promise;
  }

  close(): void {
    this.#socket.close();
  }

  // biome-ignore lint/suspicious/noExplicitAny: messages of every shape.
  #receive({ id, type, method, params, result, error, message }: any): void {
    if (type === 'event' && method === 'log.entryAdded' && params.level === 'error')
      this.problems.push(params.text);
    const call = this.#calls.get(id);
    this.#calls.delete(id);
    if (type === 'error') call?.reject(new Error(`${error}: ${message}`));
    else call?.resolve(result);
  }
}
