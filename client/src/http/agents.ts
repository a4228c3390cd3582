/**
 * Makes connections through the proxy that the environment names: HTTPS_PROXY, HTTP_PROXY and NO_PROXY, in upper or lower case, like curl.
 * Node supports these variables from 22.21 and from 24.5 on.
 */
import { Agent, type AgentOptions } from 'node:http';
import { Agent as SecureAgent } from 'node:https';
import { isLoopback } from './server.ts';

/** The options of Node's own default agent. */
const KEPT: AgentOptions = { keepAlive: true, scheduling: 'lifo', timeout: 5000 };
const PROXIES = { 'http:': 'HTTP_PROXY', 'https:': 'HTTPS_PROXY' } as const;

const kept = new Map<string, Agent>();

/**
 * Returns the agent of a request, in the form of Node's option `agent`. `isStream`: the request gets a new connection. A request to this
 * machine never goes through a proxy: for the proxy, `localhost` is the proxy's own machine.
 */
export function agentFor({ protocol, hostname }: URL, isStream: boolean): Agent | false | undefined {
  if (proxyFor(protocol) === undefined || isLoopback(hostname)) return isStream ? false : undefined;
  if (isStream) return newAgent(protocol, { keepAlive: false });
  const agent = kept.get(protocol) ?? newAgent(protocol, KEPT);
  kept.set(protocol, agent);
  return agent;
}

/** A hint for the error about an unreachable server. Empty without a proxy. */
export function proxyHint(): string {
  const protocol = (['https:', 'http:'] as const).find((one) => proxyFor(one) !== undefined);
  if (protocol === undefined) return '';
  const name = PROXIES[protocol];
  if (knowsProxies()) return ` (${name} is set, and servers are asked through that proxy)`;
  return ` (${name} is set, but Node ${process.versions.node} cannot use it: 22.21 and 24.5 can)`;
}

function newAgent(protocol: string, options: AgentOptions): Agent {
  const Kind = protocol === 'https:' ? SecureAgent : Agent;
  return new Kind({ ...options, proxyEnv: environment() });
}

function proxyFor(protocol: string): string | undefined {
  const name = PROXIES[protocol as keyof typeof PROXIES];
  return environment()[name.toLowerCase()] || environment()[name] || undefined;
}

/** A library can find the proxies only in the environment. */
function environment() {
  // biome-ignore lint/style/noProcessEnv: as the comment says.
  return process.env;
}

function knowsProxies(): boolean {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  return major > 24 || (major === 24 && minor >= 5) || (major === 22 && minor >= 21);
}
