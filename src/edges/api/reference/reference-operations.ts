/** Declares the operations that return the OpenAPI document, its page for people, and the style of the page. */
import { z } from 'zod';
import type { DescribedOperation } from '../operation.ts';
import { described, JSON_TYPE, text } from '../shapes.ts';

export const DESCRIPTION_PATH = '/api/openapi.json';

const declared = { method: 'get', tag: 'Reference', isPublic: true } as const;

export function describeDescription(path: string): DescribedOperation {
  return {
    ...declared,
    id: 'getDescription',
    path,
    summary: 'This description, as OpenAPI 3.1',
    answer: {
      status: 200,
      description: 'An OpenAPI document.',
      content: {
        [JSON_TYPE]: {
          schema: z.object({ openapi: described(text, 'As in `3.1.1`.') }),
          example: { openapi: '3.1.1' },
        },
      },
    },
  };
}

export const referenceOperations: readonly DescribedOperation[] = [
  describeDescription(DESCRIPTION_PATH),
  {
    ...declared,
    id: 'getReference',
    path: '/api/docs',
    summary: 'This description, as a page for people',
    answer: {
      status: 200,
      description: 'A page.',
      content: { 'text/html': { schema: text, example: '<!doctype html>…' } },
    },
  },
  {
    ...declared,
    id: 'getReferenceStyle',
    path: '/api/docs/reference.css',
    summary: 'The style of that page',
    answer: {
      status: 200,
      description: 'A stylesheet.',
      content: { 'text/css': { schema: text, example: 'body { margin: 0 }' } },
    },
  },
];
