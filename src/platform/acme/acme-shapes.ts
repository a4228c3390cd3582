/** The documents of an ACME server, as we read them (RFC 8555, section 7.1; RFC 9773, section 4.2). */
import { z } from 'zod';
import { problemSchema } from './acme-error.ts';

const url = z.string().max(2048);
const time = z.iso.datetime({ offset: true }).transform((text) => new Date(text));
const identifier = z.object({ type: z.literal('dns'), value: z.string().max(253) });

export const directorySchema = z.object({
  newNonce: url,
  newAccount: url,
  newOrder: url,
  renewalInfo: url.optional(),
  meta: z
    .object({
      profiles: z.record(z.string(), z.unknown()).optional(),
      caaIdentities: z.array(z.string().max(253)).max(20).optional(),
    })
    .optional()
    .default({}),
});
export type Directory = z.infer<typeof directorySchema>;

export const orderSchema = z.object({
  status: z.enum(['pending', 'ready', 'processing', 'valid', 'invalid']),
  /** An order of ours is for one hostname. */
  identifiers: z.tuple([identifier]),
  authorizations: z.array(url).max(10),
  finalize: url,
  certificate: url.optional(),
  error: problemSchema.optional(),
});

export const authorizationSchema = z.object({
  identifier,
  status: z.enum(['pending', 'valid', 'invalid', 'deactivated', 'expired', 'revoked']),
  challenges: z.array(z.object({ type: z.string() }).loose()).max(20),
});

export const http01Schema = z.object({
  url,
  status: z.enum(['pending', 'processing', 'valid', 'invalid']),
  /** Base64url (RFC 8555, section 8.3). The path of the challenge and the key authorization contain the token. */
  token: z.string().regex(/^[A-Za-z0-9_-]{1,256}$/),
  error: problemSchema.optional(),
});

export const renewalInfoSchema = z.object({
  suggestedWindow: z.object({ start: time, end: time }).refine(({ start, end }) => start < end),
});
