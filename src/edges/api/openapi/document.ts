/** The types of the parts of OpenAPI 3.1 that our documents use. */
import type { Access } from '../operation.ts';
import type { JsonSchema } from './json-schemas.ts';

export interface MediaType {
  readonly schema: JsonSchema;
  readonly example: unknown;
}
type Contents = Readonly<Record<string, MediaType>>;

export interface Reference {
  readonly $ref: string;
  /** A description that replaces the one of the referenced component. */
  readonly description?: string;
}

export interface HeaderObject {
  readonly description: string;
  readonly schema: JsonSchema;
}

export interface ParameterObject extends HeaderObject {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly example?: string;
}

export interface ResponseObject {
  readonly description: string;
  readonly headers: Readonly<Record<string, Reference>>;
  readonly content?: Contents;
}

export interface OperationObject {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description?: string;
  /** The security schemes. Empty: the operation needs no key. Absent: the document's schemes apply. */
  readonly security?: readonly [];
  /** The rights that a key needs. Absent for operations without a key. */
  readonly 'x-waypost-access'?: Access;
  readonly parameters: readonly ParameterObject[];
  readonly requestBody?: {
    readonly required: true;
    readonly description?: string;
    readonly content: Contents;
  };
  /** The responses by status, or `default`. */
  readonly responses: Readonly<Record<string, ResponseObject | Reference>>;
}

export interface OpenApiDocument {
  readonly openapi: string;
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly servers: readonly { readonly url: string }[];
  readonly security: readonly Readonly<Record<string, readonly []>>[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  /** The operations by path and method. */
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationObject>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, JsonSchema>>;
    readonly responses: Readonly<Record<string, ResponseObject>>;
    readonly headers: Readonly<Record<string, HeaderObject>>;
    readonly securitySchemes: Readonly<Record<string, object>>;
  };
}
