/**
 * An operation of the API is one declaration: how it is called, what it answers, and its work. Its route
 * (`operation-routes.ts`), its description (`openapi/`) and the types of the client follow from it.
 */
import type { Request, Response } from 'express';
import type { z } from 'zod';
import type { Answer } from '../../core/web/envelope.ts';
import type { Page, PagedList } from '../../core/web/pages.ts';
import type { RecordAnswer } from '../../core/web/record-answer.ts';
import type { KeyAction } from '../../features/accounts/key-actions.ts';
import type { Caller } from '../../features/accounts/key-store.ts';
import type { RefusalCode } from '../../platform/refusal.ts';

export type ErrorCode = RefusalCode | 'INTERNAL_ERROR';

export interface Content {
  readonly schema: z.ZodType;
  /** A body of this schema: a JSON value, or a text for types other than JSON. */
  readonly example: unknown;
}

export interface RequestBody {
  readonly description?: string;
  /** The content by media type. */
  readonly content: Readonly<Record<string, Content>>;
  /** The names of the members that `call.members()` reads. */
  readonly members?: readonly string[];
  /** Whether a single member may be as long as a whole body may be. */
  readonly isLong?: true;
}

export interface DescribedAnswer {
  readonly status: 200 | 201 | 202 | 304;
  readonly description: string;
  /** The content of the answer by media type. */
  readonly content: Readonly<Record<string, Content>>;
}

/**
 * The rights that a key needs for an operation. Before the work, `operation-access.ts` checks `actions`, and the scope of the key as far as
 * the path tells. The work checks the rest of the scope. The values of `to`:
 *
 *   account        the whole account. Keys that are limited to domains or sitemaps are refused.
 *   domains        a list of domains. The work shows only the domains of the scope.
 *   whole domains  a list of domains. The work shows only the domains of the scope. Keys that are limited to sitemaps are refused.
 *   whole domain   the domain `{id}`. Keys that are limited to sitemaps are refused.
 *   sitemaps       a list of sitemaps of the domain `{id}`. The work shows only the sitemaps of the scope.
 *   sitemap        the sitemap `{name}` of the domain `{id}`.
 *   upload         the upload `{id}`. The scope must cover its domain and its sitemap.
 *   session        the upload session `{id}`. The scope must cover its domain and its sitemap.
 *   named          the domain and the sitemap that the query or the body names. The work calls `requireTarget`, or reads only there.
 *   nothing        nothing of the account is read or changed.
 */
export interface Access {
  /** A key needs one of these actions. */
  readonly actions: readonly [KeyAction, ...KeyAction[]];
  readonly to:
    | 'account'
    | 'domains'
    | 'whole domains'
    | 'whole domain'
    | 'sitemaps'
    | 'sitemap'
    | 'upload'
    | 'session'
    | 'named'
    | 'nothing';
}

/** The part of an operation that its description in OpenAPI shows. */
export interface DescribedOperation {
  /** The id: a verb and its object, as in `createDomain`. Clients generated from the description have a method of this name. */
  readonly id: string;
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** The path, as in `/api/domains/{id}`. */
  readonly path: string;
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  /** Whether the operation needs neither a key nor a token. */
  readonly isPublic?: true;
  /** Absent for public operations and for those of operators. */
  readonly access?: Access;
  /** The schemas of query parameters, with their descriptions. */
  readonly query?: Readonly<Record<string, z.ZodType>>;
  /** The query parameters without which the operation refuses, each with an example. */
  readonly requiredQuery?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, z.ZodType>>;
  readonly body?: RequestBody;
  /** The success. A public GET also answers 304 (`describe-operation.ts`). */
  readonly answer: DescribedAnswer;
  /** The conditions of errors, beside those of all operations (`errorsOf` in `error-responses.ts`). */
  readonly errors?: Readonly<Partial<Record<ErrorCode, string>>>;
}

/** Whether the operation takes an `Idempotency-Key`. */
export const takesKey = ({ method, isPublic }: DescribedOperation) => method === 'post' && !isPublic;

/** Lines of JSON or, with a name for the file, of CSV. They are sent without an envelope, at the pace of the client. */
export interface Lines extends AsyncGenerator<Buffer, void, undefined> {
  readonly csvName?: string;
}

/** The success of an operation: how the result of `run` becomes an answer. Lines have no envelope. */
export interface Success<Result> extends DescribedAnswer {
  envelope(result: Exclude<Result, Lines>): Answer;
}

type ParameterOf<Path> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ParameterOf<Rest>
  : never;

/** A list of the caller's account, and how its rows are shown. `list` is the name of the list, as in `domains`. */
export interface ShownList<Row, Shown> extends Omit<PagedList<Row>, 'accountId'> {
  readonly show: (row: Row) => Shown;
}

/** A request of a sender who was admitted: of a caller, or of an operator. */
export interface Call<Path extends string, Result, Sender = Caller> {
  readonly caller: Sender;
  readonly path: Readonly<Record<ParameterOf<Path>, string>>;
  readonly request: Request;
  readonly response: Response;
  /** Reads the body. Returns the members that it has. Throws Refusal. */
  members(): Promise<ReadonlyMap<string, unknown>>;
  /** Returns the page of a list that the query asks for. Throws Refusal. */
  page<Row, Shown>(list: ShownList<Row, Shown>): Promise<Page<Shown>>;
  /** Returns the tools to answer a change that must not happen twice. */
  showOnce<Made>(show: (made: Made) => Result): ShownOnce<Made, Result>;
}

interface ShownOnce<Made, Result> {
  /** Records the answer for `made`. A transaction that is repeated records again. */
  readonly record: RecordAnswer<Made>;
  /** Returns the recorded answer. Without a record, shows `made` now. */
  shown(made: Made): Result;
}

/** An operation that a sender may call. `Needs` are the dependencies of its work. */
export interface OperationOf<Sender, Needs, Path extends string = string, Result = unknown>
  extends DescribedOperation {
  readonly path: Path;
  readonly answer: Success<Result>;
  run(needs: Needs, call: Call<Path, Result, Sender>): Promise<Result>;
}

export interface Operation<Needs, Path extends string = string, Result = unknown>
  extends OperationOf<Caller, Needs, Path, Result> {
  readonly access: Access;
}

/** An operation before `tagged` gives it the tag of its group. */
export type Untagged<Declared extends DescribedOperation> = Omit<Declared, 'tag'>;

/** Declares an operation. Its types check the work against the path and the declared answer. */
export function operation<Needs, Path extends string, Result>(
  method: DescribedOperation['method'],
  path: Path,
  declared: Omit<Operation<Needs, Path, Result>, 'method' | 'path' | 'tag'>,
): Untagged<Operation<Needs>> {
  return { ...declared, method, path };
}

export function tagged<Declared>(tag: string, operations: readonly Declared[]) {
  return operations.map((each) => ({ ...each, tag }));
}
