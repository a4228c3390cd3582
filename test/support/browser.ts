/** The part of a browser that sign-in needs: cookies by origin, redirects and Sec-Fetch-Site. It renders no pages. */

export class Browser {
  readonly origin: string;
  readonly #jars = new Map<string, Map<string, string>>();

  /** `origin`: the origin of the dashboard. */
  constructor(origin: string) {
    this.origin = origin;
  }

  /** Sends one request, and returns a redirect as an answer. `from`: the value of Sec-Fetch-Site. */
  async request(address: string, options: RequestInit & { from?: string } = {}): Promise<Response> {
    const url = new URL(address, this.origin);
    const { from = 'none', ...init } = options;
    const jar = this.#jarOf(url);
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers = { 'Sec-Fetch-Site': from, ...(cookie !== '' && { Cookie: cookie }), ...init.headers };
    const response = await fetch(url, { ...init, headers, redirect: 'manual' });
    for (const line of response.headers.getSetCookie()) keep(jar, line);
    return response;
  }

  /** Opens an address, and follows redirects to a page of the dashboard. Returns the page's path and query. */
  async open(address: string, options: { from?: string } = {}): Promise<string> {
    let url = new URL(address, this.origin);
    for (let hop = 0; hop < 20; hop++) {
      if (this.#isPage(url)) return `${url.pathname}${url.search}`;
      const response = await this.request(url.href, options);
      const location = response.headers.get('location');
      if (location === null) throw new Error(`${response.status} at ${url.href}: ${await response.text()}`);
      await response.body?.cancel();
      url = new URL(location, url);
    }
    throw new Error(`no end of redirects, last ${url.href}`);
  }

  /**
   * Opens an address, and follows redirects up to the one that leads from the provider back to the dashboard. Returns
   * the address of this redirect.
   */
  async openUntilCallback(address: string, options: { from?: string } = {}): Promise<URL> {
    let url = new URL(address, this.origin);
    for (let hop = 0; hop < 20; hop++) {
      if (url.origin === this.origin && url.pathname.startsWith('/auth/callback/')) return url;
      const response = await this.request(url.href, options);
      await response.body?.cancel();
      url = new URL(response.headers.get('location') ?? '', url);
    }
    throw new Error(`no end of redirects, last ${url.href}`);
  }

  /** Sends a request like the scripts of the dashboard's pages. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape.
  async ask(method: string, path: string, body?: object): Promise<{ status: number; json: any }> {
    const response = await this.request(path, {
      method,
      from: 'same-origin',
      ...(body && { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) }),
    });
    return { status: response.status, json: await response.json() };
  }

  /** The cookies of the dashboard. */
  cookies(): Map<string, string> {
    return this.#jarOf(new URL(this.origin));
  }

  #isPage(url: URL): boolean {
    return url.origin === this.origin && url.pathname.startsWith('/dashboard');
  }

  #jarOf({ origin }: URL): Map<string, string> {
    const jar = this.#jars.get(origin) ?? new Map<string, string>();
    this.#jars.set(origin, jar);
    return jar;
  }
}

function keep(jar: Map<string, string>, line: string): void {
  const [pair = '', ...attributes] = line.split(';');
  const at = pair.indexOf('=');
  const isOver = attributes.some((one) => /^ *(Max-Age=0|Expires=Thu, 01 Jan 1970)/i.test(one));
  if (isOver) jar.delete(pair.slice(0, at));
  else jar.set(pair.slice(0, at), pair.slice(at + 1));
}
