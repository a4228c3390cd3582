/** Reads the descriptions of the APIs. test/api/openapi/document.test.ts keeps their files up to date. */
import { readFileSync } from 'node:fs';
import { Ajv2020, type AnySchema, type ValidateFunction } from 'ajv/dist/2020.js';

export type Schema = Readonly<Record<string, unknown>>;

interface DescribedParameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  /** Of a parameter in the query that is required. */
  readonly example?: string;
  readonly schema: Schema;
}

interface DescribedAnswer {
  readonly $ref?: string;
  readonly content?: Readonly<Record<string, { readonly schema: Schema; readonly example: unknown }>>;
}

export interface DescribedOperation {
  readonly operationId: string;
  readonly security?: readonly [];
  readonly parameters: readonly DescribedParameter[];
  readonly requestBody?: {
    readonly content: Readonly<Record<string, { readonly schema: Schema; readonly example: unknown }>>;
  };
  readonly responses: Readonly<Record<string, DescribedAnswer>>;
}

export interface Description {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DescribedOperation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly responses: Readonly<Record<string, DescribedAnswer>>;
  };
}

export function readDescription(file = 'openapi.json'): Description {
  return JSON.parse(readFileSync(new URL(`../${file}`, import.meta.url), 'utf8'));
}

/** Checks values by the schemas of a description. An answer may have only members that the description has. */
export class Judge {
  readonly #ajv: Ajv2020;
  readonly #description: Description;

  constructor(description: Description) {
    this.#description = description;
    this.#ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false });
    this.#ajv.addSchema(closed(description) as AnySchema, 'api');
  }

  /** `pointer` names a schema, as in `/components/schemas/Entry`. Returns an empty list if the value is valid. */
  problems(pointer: string, value: unknown): string[] {
    const validate = this.#validate(pointer);
    validate(value);
    return (validate.errors ?? []).map(
      ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
    );
  }

  /** The problems of an answer in JSON. If the path is not described, its answer has no problems. */
  answerProblems(method: string, path: string, status: number, contentType: string, body: unknown): string[] {
    const found = this.#find(method, path);
    if (found === undefined) return [];
    const { template, operation } = found;
    const own = `/paths/${pointerPart(template)}/${method.toLowerCase()}/responses/${status}`;
    const answer = operation.responses[status];
    if (answer === undefined && status < 400) return [`${status} is not described`];
    const name = (answer ?? operation.responses.default)?.$ref?.split('/').at(-1);
    if (name === 'Other' && !OTHER_STATUSES.includes(status)) return [`${status} is not described`];
    const at = name === undefined ? own : `/components/responses/${name}`;
    return this.problems(`${at}/content/${pointerPart(contentType)}/schema`, body);
  }

  #find(method: string, path: string) {
    const pathname = path.split('?', 1)[0]!;
    for (const [template, methods] of Object.entries(this.#description.paths)) {
      const operation = methods[method.toLowerCase()];
      if (operation !== undefined && matches(template, pathname)) return { template, operation };
    }
    return undefined;
  }

  #validate(pointer: string): ValidateFunction {
    const found = this.#ajv.getSchema(`api#${pointer}`);
    if (found === undefined) throw new Error(`nothing is described at ${pointer}`);
    return found;
  }
}

/** The statuses of malformed HTTP, and of methods that a path does not have. Operations do not describe them. */
const OTHER_STATUSES = [400, 405, 408, 413, 414, 417, 431, 501, 505];

function matches(template: string, pathname: string): boolean {
  const parts = pathname.split('/');
  const wanted = template.split('/');
  return (
    wanted.length === parts.length && wanted.every((part, n) => part.startsWith('{') || part === parts[n])
  );
}

export function pointerPart(part: string): string {
  return encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'));
}

/** Makes schemas refuse unknown members. The description allows them for the future, but it must have all of today's. */
function closed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closed);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.fromEntries(Object.entries(value).map(([name, member]) => [name, closed(member)]));
  const isObject = members.type === 'object' && members.properties !== undefined;
  return isObject && members.additionalProperties === undefined
    ? { ...members, additionalProperties: false }
    : members;
}
