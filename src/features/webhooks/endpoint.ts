/** A webhook endpoint: an address at which a customer receives events. */
import { isIP } from 'node:net';
import { z } from 'zod';
import { hasControl } from '../../platform/control-characters.ts';
import { type IsAllowedAddress, isPublicAddress } from '../../platform/http/public-address.ts';
import { invalidField } from '../../platform/refusal.ts';
import { isStorable } from '../../platform/storable-text.ts';
import { EVENT_TYPES, type EventType } from './events.ts';
import { FORMATS, type Format } from './formats.ts';

export interface Endpoint {
  readonly id: string;
  readonly accountId: string;
  readonly url: string;
  readonly format: Format;
  readonly description: string;
  /** The event types that the endpoint receives; null: all types but CHOSEN_EVENTS, also types that are added later. */
  readonly eventTypes: readonly EventType[] | null;
  readonly createdAt: Date;
  readonly secretVersion: number;
  /** The time until which the secrets before the last rotation sign too. */
  readonly formerUntil: Date | null;
  /** The time when the endpoint was disabled; null while it is in use. */
  readonly disabledAt: Date | null;
  /** The reason why the endpoint is disabled, for people. */
  readonly disabledWhy: string | null;
  /** The position in the order of creation. */
  readonly position: number;
}

export const MAX_ENDPOINTS = 20;

/** The members of an endpoint that its owner sets. */
export interface EndpointMembers extends Pick<Endpoint, 'url' | 'format' | 'description' | 'eventTypes'> {
  readonly isEnabled: boolean;
}

const MAX_URL_LENGTH = 2048;
const MAX_DESCRIPTION_LENGTH = 256;

/** The schema of the members in the body of a request. */
export const endpointMembersSchema = z
  .object({
    url: z.string('must be a string').max(MAX_URL_LENGTH, `must have at most ${MAX_URL_LENGTH} characters`),
    description: z
      .string('must be a string')
      .max(MAX_DESCRIPTION_LENGTH, `must have at most ${MAX_DESCRIPTION_LENGTH} characters`)
      .refine(isStorable, 'must be valid text without U+0000')
      .refine(
        (text) => !hasControl(text),
        'must have no control characters, line breaks or marks of direction',
      ),
    format: z.enum(FORMATS, `must be one of ${FORMATS.join(', ')}`),
    events: z
      .array(z.enum(EVENT_TYPES, `must name only ${EVENT_TYPES.join(', ')}`), 'must be a list of events')
      .min(1, 'must name at least one event')
      .nullable(),
    enabled: z.boolean('must be true or false'),
  })
  .partial();

/** Parses the members of a body that creates or changes an endpoint. Throws Refusal VALIDATION_ERROR. */
export function parseEndpointMembers(
  members: ReadonlyMap<string, unknown>,
  isAllowed: IsAllowedAddress,
): Partial<EndpointMembers> {
  // Null counts as an absent member (spec D16). In `events`, null means all events but CHOSEN_EVENTS.
  const given = [...members].filter(([name, value]) => value !== null || name === 'events');
  const parsed = endpointMembersSchema.safeParse(Object.fromEntries(given));
  if (!parsed.success) {
    const { path, message } = parsed.error.issues[0]!;
    throw invalidField(String(path[0]), members.get(String(path[0])), message);
  }
  const { url, format, description, events: eventTypes, enabled: isEnabled } = parsed.data;
  return {
    ...(url !== undefined && { url: parseEndpointUrl(url, isAllowed) }),
    ...(format !== undefined && { format }),
    ...(description !== undefined && { description }),
    ...(eventTypes !== undefined && { eventTypes: eventTypes && [...new Set(eventTypes)] }),
    ...(isEnabled !== undefined && { isEnabled }),
  };
}

/**
 * Parses the URL of an endpoint: https, to a name or to a public address. The operator may allow private addresses, which may use http too.
 * The addresses of a name are checked at each delivery.
 */
function parseEndpointUrl(text: string, isAllowed: IsAllowedAddress): string {
  const refused = (message: string) => invalidField('url', text, message);
  const url = URL.parse(text);
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:') {
    throw refused('must be an absolute URL that starts with https://');
  }
  if (url.username !== '' || url.password !== '') throw refused('must have no user and no password');
  if (url.hash !== '') throw refused('must have no fragment');
  const address = url.hostname.replace(/^\[|\]$/g, '');
  const isLiteral = isIP(address) !== 0;
  if (isLiteral && !isAllowed(address)) throw refused('must not be an address that is not public');
  if (url.protocol === 'http:' && !(isLiteral && !isPublicAddress(address))) {
    throw refused('must start with https://');
  }
  return url.href;
}
