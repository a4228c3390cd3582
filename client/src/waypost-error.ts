/** The error of every known failure. Errors of your own iterables and abort reasons pass through unchanged. */

/** The codes of failures without an answer of Waypost. docs/api.md has the codes of its answers. */
type OwnCode = 'UNREACHABLE' | 'TIMEOUT' | 'BAD_ANSWER' | 'BAD_INPUT' | 'BAD_SETTING';

export interface WaypostErrorOptions {
  readonly status?: number | undefined;
  readonly details?: Readonly<Record<string, unknown>> | undefined;
  readonly requestId?: string | undefined;
  readonly retryAfterSeconds?: number | undefined;
  readonly isTemporary?: boolean;
  readonly cause?: unknown;
}

export class WaypostError extends Error {
  override readonly name = 'WaypostError';
  /** For example `VALIDATION_ERROR`. Programs decide by this code. `message` is for people. */
  readonly code: string;
  /** The status of the answer. Undefined without an answer. */
  readonly status: number | undefined;
  /** The details that docs/api.md describes: `field`, `value`, `errors`, `uploadId` and others. */
  readonly details: Readonly<Record<string, unknown>>;
  /** Quote this id when you ask your operator for help. */
  readonly requestId: string | undefined;
  readonly retryAfterSeconds: number | undefined;
  /** Whether the same request may succeed later. */
  readonly isTemporary: boolean;

  constructor(code: OwnCode | (string & {}), message: string, options: WaypostErrorOptions = {}) {
    super(message, { cause: options.cause });
    this.code = code;
    this.status = options.status;
    this.details = options.details ?? {};
    this.requestId = options.requestId;
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.isTemporary = options.isTemporary ?? false;
  }

  /** Whether the domain's guard holds the upload. Then `details` has `removed`, `former`, `percent`, `generation` and `uploadId`. */
  get isHeld(): boolean {
    return this.code === 'CONFLICT' && typeof this.details.uploadId === 'string';
  }
}

/** Returns the error for an invalid input. The request with this input publishes nothing. */
export function badInput(message: string, cause?: unknown): WaypostError {
  return new WaypostError('BAD_INPUT', message, { cause });
}

/** Returns the error for an invalid address of the server, key or option. Nothing was sent. */
export function badSetting(message: string): WaypostError {
  return new WaypostError('BAD_SETTING', message);
}
