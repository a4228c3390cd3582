/** Builds the description of an API (OpenAPI 3.1) from its operations. */
import packageJson from '../../../../package.json' with { type: 'json' };
import type { DescribedOperation, ErrorCode } from '../operation.ts';
import { TAGS } from '../operations.ts';
import { JSON_TYPE } from '../shapes.ts';
import { HEADERS, headerReferences, OF_ADMITTED, OF_EVERY_ANSWER } from './answer-headers.ts';
import { contentsOf, describeOperation } from './describe-operation.ts';
import type { OpenApiDocument, OperationObject, ResponseObject } from './document.ts';
import { ERROR_CODES, errorResponse, otherErrors } from './error-responses.ts';
import { JsonSchemas } from './json-schemas.ts';

const DESCRIPTION = `With this API you register hostnames, upload lists of URLs and manage the sitemaps that Waypost serves.

An answer in JSON is \`{"success": true, "data": …}\` or \`{"success": false, "error": {"code", "message", "details"}}\`. Branch on \`error.code\`, and show \`error.message\` to people. Answers may get new members at any time: ignore those that you do not know.

A path with GET answers HEAD too. Members and query parameters that an operation does not know are refused. Times are in UTC.`;

const KEY =
  '`sk_live_` and 32 letters or digits. A key may be limited to actions, domains, sitemaps and addresses: ' +
  '`x-waypost-access` of an operation has `actions`, of which the key needs one, and `to`, what it is about. What is outside ' +
  'of the limits of a key looks as if it did not exist.';

/** The parts of the description that do not follow from operations. */
export interface About {
  readonly title: string;
  readonly description: string;
  readonly tags: Readonly<Record<string, string>>;
  /** The ways to authenticate, by name: each is enough. */
  readonly securitySchemes: Readonly<Record<string, object>>;
  /** Examples of error messages, by code. They replace those for customers. */
  readonly messages?: Readonly<Partial<Record<ErrorCode, string>>>;
}

const OF_CUSTOMERS: About = {
  title: 'Waypost',
  description: DESCRIPTION,
  tags: TAGS,
  securitySchemes: {
    ApiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key', description: KEY },
    Bearer: { type: 'http', scheme: 'bearer', description: KEY },
  },
};

export function buildDocument(
  operations: readonly DescribedOperation[],
  { title, description, tags, securitySchemes, messages = {} }: About = OF_CUSTOMERS,
): OpenApiDocument {
  const schemas = new JsonSchemas();
  const paths: Record<string, Record<string, OperationObject>> = {};
  for (const operation of operations) {
    const described = { [operation.method]: describeOperation(operation, schemas) };
    paths[operation.path] = { ...paths[operation.path], ...described };
  }
  const responses = errorResponses(schemas, messages);
  return {
    openapi: '3.1.1',
    info: { title, version: packageJson.version, description },
    servers: [{ url: '/' }],
    security: Object.keys(securitySchemes).map((name) => ({ [name]: [] })),
    tags: Object.entries(tags).map(([name, meaning]) => ({ name, description: meaning })),
    paths,
    components: {
      schemas: schemas.complete(),
      responses,
      headers: HEADERS,
      securitySchemes,
    },
  };
}

function errorResponses(
  schemas: JsonSchemas,
  messages: NonNullable<About['messages']>,
): Readonly<Record<string, ResponseObject>> {
  const known = ERROR_CODES.map((code) => [code, errorResponse(code, messages[code])] as const);
  return Object.fromEntries(
    [...known, ['Other', otherErrors()] as const].map(([name, { description, headers, schema, example }]) => [
      name,
      {
        description,
        headers: headerReferences([...OF_EVERY_ANSWER, ...OF_ADMITTED, ...headers]),
        content: contentsOf({ [JSON_TYPE]: { schema, example } }, schemas),
      },
    ]),
  );
}
