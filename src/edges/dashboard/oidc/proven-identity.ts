/**
 * Reads the claims of a provider about a person (OpenID Connect Core 1.0, sections 2 and 5.1). They are untrusted
 * input.
 */
import { z } from 'zod';
import { canonicalHostname } from '../../../platform/dns/dns-name.ts';
import { isStorable } from '../../../platform/storable-text.ts';

export interface ProvenIdentity {
  readonly issuer: string;
  readonly subject: string;
  /** The provider's name for its session. */
  readonly sid: string | null;
  readonly email: string | null;
  /** The name to show, never empty. */
  readonly name: string;
  /** When the person last signed in at the provider, as by a password. Null: the provider does not say. */
  readonly authenticatedAt: Date | null;
  /** The domain of a verified e-mail address, as a canonical hostname. */
  readonly emailDomain: string | undefined;
}

const MAX_NAME_LENGTH = 100;
/** The limit of an e-mail address (RFC 5321, sections 4.5.3.1.1 and 4.5.3.1.2). */
const MAX_EMAIL_LENGTH = 320;
/** The latest accepted time, in seconds since 1970. A Date and a timestamp in Postgres can both store it. */
const MAX_SECONDS = 2 ** 33;
const NAMELESS = 'Account';
const CONTROLS = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]+/gu;

/**
 * The schema of an id. An id with broken characters is refused, because the database stores it as another text, and two ids may become
 * equal.
 */
const id = z.string().min(1).max(255).refine(isStorable);
const claimsSchema = z.object({
  iss: z.string().min(1).max(1000).refine(isStorable),
  sub: id,
  sid: id.optional().catch(undefined),
  auth_time: z.number().int().min(0).max(MAX_SECONDS).optional().catch(undefined),
  email: z.string().optional().catch(undefined),
  email_verified: z.unknown(),
  name: z.string().optional().catch(undefined),
});

export type Claims = Readonly<Record<string, unknown>>;

/** Returns the identity in the claims. Throws ZodError when issuer or subject are invalid. */
export function provenIdentity(claims: Claims): ProvenIdentity {
  const {
    iss,
    sub,
    sid = null,
    auth_time,
    email: givenEmail,
    email_verified,
    name,
  } = claimsSchema.parse(claims);
  const email = shown(givenEmail, MAX_EMAIL_LENGTH);
  return {
    issuer: iss,
    subject: sub,
    sid,
    email: email ?? null,
    name: shown(name, MAX_NAME_LENGTH) ?? shortened(email) ?? NAMELESS,
    authenticatedAt: auth_time === undefined ? null : new Date(auth_time * 1000),
    emailDomain: email_verified === true && email === givenEmail ? domainOf(email) : undefined,
  };
}

/** Replaces characters that a page or a terminal cannot show by blanks, and shortens the text. Undefined if no text is left. */
function shown(text: string | undefined, maxLength: number): string | undefined {
  return shortened(text?.replace(CONTROLS, ' ').trim(), maxLength) || undefined;
}

function shortened(text: string | undefined, maxLength = MAX_NAME_LENGTH): string | undefined {
  return text === undefined ? undefined : [...text.slice(0, 2 * maxLength)].slice(0, maxLength).join('');
}

/** Returns the domain of an e-mail address as a hostname. Undefined if the text is no address. */
function domainOf(email: string | undefined): string | undefined {
  const at = email?.lastIndexOf('@') ?? -1;
  return at < 1 ? undefined : canonicalHostname(email!.slice(at + 1));
}
