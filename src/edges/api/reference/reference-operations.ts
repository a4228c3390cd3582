/** Declares the operations that return the OpenAPI document, its page for people, and the style of the page. */
import { z } from 'zod';
import type { DescribedOperation } from '../operation.ts';
import { described, JSON_TYPE, text } from '../shapes.ts';

const tag = 'Reference';
const NOT_MODIFIED = {
  status: 304,
  description: 'You have the newest one, by `If-None-Match`.',
  content: {},
} as const;

export const referenceOperations: readonly DescribedOperation[] = [
  {
    id: 'getDescription',
    method: 'get',
    path: '/api/openapi.json',
    tag,
    summary: 'This description, as OpenAPI 3.1',
    isPublic: true,
    answers: [
      {
        status: 200,
        description: 'An OpenAPI document.',
        content: {
          [JSON_TYPE]: {
            schema: z.object({ openapi: described(text, 'As in `3.1.1`.') }),
            example: { openapi: '3.1.1' },
          },
        },
      },
      NOT_MODIFIED,
    ],
  },
  {
    id: 'getReference',
    method: 'get',
    path: '/api/docs',
    tag,
    summary: 'This description, as a page for people',
    isPublic: true,
    answers: [
      {
        status: 200,
        description: 'A page.',
        content: { 'text/html': { schema: text, example: '<!doctype html>…' } },
      },
      NOT_MODIFIED,
    ],
  },
  {
    id: 'getReferenceStyle',
    method: 'get',
    path: '/api/docs/reference.css',
    tag,
    summary: 'The style of that page',
    isPublic: true,
    answers: [
      {
        status: 200,
        description: 'A stylesheet.',
        content: { 'text/css': { schema: text, example: 'body { margin: 0 }' } },
      },
      NOT_MODIFIED,
    ],
  },
];
