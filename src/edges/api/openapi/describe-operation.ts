/** Converts an operation into an operation object of OpenAPI. */
import { REQUEST_KEY } from '../../../features/idempotency/request-key.ts';
import { type Content, type DescribedAnswer, type DescribedOperation, takesKey } from '../operation.ts';
import { described, text } from '../shapes.ts';
import { headerReferences, OF_ADMITTED, OF_EVERY_ANSWER, OF_KEPT } from './answer-headers.ts';
import type { MediaType, OperationObject, ParameterObject, Reference, ResponseObject } from './document.ts';
import { ERROR_STATUSES, errorsOf } from './error-responses.ts';
import type { JsonSchemas } from './json-schemas.ts';

const IN_PATH: Readonly<Record<string, string>> = {
  '/api/domains/{id}': 'As in `domain_PlDs9c4v8PXeY16He1Yn79`.',
  '/api/uploads/{id}': 'As in `upload_2c4v8PXeY16He1Yn79PlDs`.',
  '/api/webhooks/{id}': 'As in `webhook_0k0ZbNzPqD8h2c4vXeY16H`.',
  '/api/upload-sessions/{id}': 'As in `session_1OXk5dJd9M8PXeY16He1Yn`.',
  '{part}': 'The number of the part.',
  '/operator/accounts/{id}': 'As in `account_8PXeY16He1Yn79PlDs9c4v`.',
  '/operator/examinations/{id}': 'As in `examination_Y16He1Yn79PlDs9c4v8PXe`.',
  '/operator/rebuilds/{id}': 'As in `rebuild_Y16He1Yn79PlDs9c4v8PXe`.',
  '/operator/keys/{id}': 'As in `key_c8PXeY16He1Yn79PlDs9c4`.',
  '/operator/domains/{id}': 'As in `domain_PlDs9c4v8PXeY16He1Yn79`.',
  '/operator/webhooks/{id}': 'As in `webhook_0k0ZbNzPqD8h2c4vXeY16H`.',
  '{plan}': 'Its name, as in `pro`.',
  '{hostname}': 'A full name, as in `sitemaps.example.com`.',
  '{ref}':
    'The name of the account at your own systems: letters, digits, and `._:@+=~-` between them, at most 200.',
  '{name}': 'The name of the sitemap. `default` is the unnamed one.',
  '{event}': 'The `eventId` of the delivery.',
  '{token}': 'The secret of the hook.',
};

const idempotencyKey = described(
  text.regex(REQUEST_KEY),
  'Chosen by you for this request. If you send the request again with it, you get the first answer again.',
);

/** The answer 304 to a conditional request. Every public GET accepts conditions. */
const NOT_MODIFIED: DescribedAnswer = {
  status: 304,
  description: 'You have the newest one, by `If-None-Match`.',
  content: {},
};

export function describeOperation(operation: DescribedOperation, schemas: JsonSchemas): OperationObject {
  const { id, tag, summary, description, isPublic, access, body, answer, method } = operation;
  const answers = isPublic && method === 'get' ? [answer, NOT_MODIFIED] : [answer];
  const successes = answers.map((success) => [success.status, describeAnswer(operation, success, schemas)]);
  const errors = errorsOf(operation).map(([code, when]): [number, Reference] => [
    ERROR_STATUSES[code],
    { $ref: `#/components/responses/${code}`, description: when },
  ]);
  return {
    operationId: id,
    tags: [tag],
    summary,
    ...(description && { description }),
    ...(isPublic && { security: [] }),
    ...(access && { 'x-waypost-access': access }),
    parameters: parametersOf(operation, schemas),
    ...(body && {
      requestBody: {
        required: true,
        ...(body.description && { description: body.description }),
        content: contentsOf(body.content, schemas),
      },
    }),
    responses: {
      ...Object.fromEntries([...successes, ...errors]),
      default: { $ref: '#/components/responses/Other' },
    },
  };
}

export function contentsOf(
  contents: Readonly<Record<string, Content>>,
  schemas: JsonSchemas,
): Readonly<Record<string, MediaType>> {
  return Object.fromEntries(
    Object.entries(contents).map(([type, { schema, example }]) => [
      type,
      { schema: schemas.of(schema), example },
    ]),
  );
}

function describeAnswer(
  operation: DescribedOperation,
  { description, content }: DescribedAnswer,
  schemas: JsonSchemas,
): ResponseObject {
  const { isPublic, method } = operation;
  const names = [...OF_EVERY_ANSWER];
  if (!isPublic) names.push(...OF_ADMITTED);
  else if (method === 'get') names.push(...OF_KEPT);
  if (takesKey(operation)) names.push('Idempotency-Replayed');
  const contents = Object.keys(content).length > 0 && { content: contentsOf(content, schemas) };
  return { description, headers: headerReferences(names), ...contents };
}

function parametersOf(operation: DescribedOperation, schemas: JsonSchemas): readonly ParameterObject[] {
  const { path, query = {}, requiredQuery = {}, headers = {} } = operation;
  const inPath = Array.from(path.matchAll(/\{(\w+)\}/g), ([parameter, name]): ParameterObject => {
    const before = path.slice(0, path.indexOf(parameter) + parameter.length);
    const description = IN_PATH[parameter] ?? IN_PATH[before]!;
    return { name: name!, in: 'path', required: true, description, schema: { type: 'string' } };
  });
  const named = { ...headers, ...(takesKey(operation) && { 'Idempotency-Key': idempotencyKey }) };
  const outsideOfPath = (place: 'query' | 'header') =>
    Object.entries(place === 'query' ? query : named).map(([name, schema]): ParameterObject => {
      const example = place === 'query' ? requiredQuery[name] : undefined;
      return {
        name,
        in: place,
        required: example !== undefined,
        description: schema.description ?? '',
        ...(example !== undefined && { example }),
        schema: schemas.of(schema),
      };
    });
  return [...inPath, ...outsideOfPath('query'), ...outsideOfPath('header')];
}
