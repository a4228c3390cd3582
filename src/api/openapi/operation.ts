/** One operation of the API, as its description shows it. The files beside this one list them, a room of the API each. */
import type { z } from 'zod';
import type { RefusalCode } from '../../platform/refusal.ts';

export type ErrorCode = RefusalCode | 'INTERNAL_ERROR';

export interface Content {
  readonly schema: z.ZodType;
  /** A body of this schema: a JSON value, or a text for types other than JSON. */
  readonly example: unknown;
}

export interface RequestBody {
  readonly description?: string;
  /** By media type. */
  readonly content: Readonly<Record<string, Content>>;
}

export interface Answer {
  readonly status: 200 | 201 | 202 | 304;
  readonly description: string;
  /** By media type. */
  readonly content: Readonly<Record<string, Content>>;
}

export interface Operation {
  /** A verb and its object, as in `createDomain`. Clients that are made of the description have it as a method. */
  readonly id: string;
  readonly method: 'get' | 'post' | 'patch' | 'delete';
  /** As in `/api/domains/{id}`. */
  readonly path: string;
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  /** Needs no key. */
  readonly isPublic?: true;
  /** Beside those in the path. A schema has its description. */
  readonly query?: Readonly<Record<string, z.ZodType>>;
  readonly headers?: Readonly<Record<string, z.ZodType>>;
  readonly body?: RequestBody;
  readonly answers: readonly Answer[];
  /** When it answers with these errors, beside what holds for all: `errorsOf` in `error-responses.ts`. */
  readonly errors?: Readonly<Partial<Record<ErrorCode, string>>>;
}
