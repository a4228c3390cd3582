/** Converts zod schemas to JSON Schema (draft 2020-12). A schema with an `id` becomes a component, which other schemas reference. */
import { z } from 'zod';

export type JsonSchema = z.core.JSONSchema.BaseSchema;

/** Takes schemas one by one, and converts all of them together, so that each component is there once. */
export class JsonSchemas {
  readonly #schemas: z.ZodType[] = [];
  readonly #places: JsonSchema[] = [];

  /** Takes a zod schema. Returns an empty object, which `complete` fills. */
  of(schema: z.ZodType): JsonSchema {
    const place: JsonSchema = {};
    this.#schemas.push(schema);
    this.#places.push(place);
    return place;
  }

  /** Fills the objects that `of` has returned. Returns the components. */
  complete(): Readonly<Record<string, JsonSchema>> {
    const all = z.object(Object.fromEntries(this.#schemas.map((schema, n) => [`s${n}`, schema])));
    const converted = z.toJSONSchema(all, {
      io: 'output',
      override: ({ zodSchema, jsonSchema }) => {
        correct(zodSchema, jsonSchema);
      },
    });
    for (const [n, place] of this.#places.entries()) {
      Object.assign(place, withReferences(converted.properties?.[`s${n}`]));
    }
    return Object.fromEntries(
      Object.entries(converted.$defs ?? {}).map(([name, schema]) => [name, withReferences(schema)]),
    );
  }
}

/** Corrects the JSON Schema where zod writes a rule that it does not apply. */
function correct(zodSchema: z.core.$ZodTypes, jsonSchema: JsonSchema): void {
  const { def } = zodSchema._zod;
  // An object drops members that it does not know. Only a strict one refuses them.
  if (def.type === 'object' && def.catchall === undefined) delete jsonSchema.additionalProperties;
  // The bounds of safe integers and the length 0 are zod's own, not ours.
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (jsonSchema.minLength === 0) delete jsonSchema.minLength;
  delete jsonSchema.id;
}

function withReferences(value: unknown): JsonSchema {
  return JSON.parse(JSON.stringify(value), (key, member) =>
    key === '$ref' && typeof member === 'string'
      ? member.replace('#/$defs/', '#/components/schemas/')
      : member,
  );
}
