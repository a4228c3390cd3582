import { saidParameter } from '../said-parameter.ts';

/** Parameters of an upload that mend its mistakes, by name. */
export type Cure = Readonly<Record<string, string>>;

/** Returns the parameter that a message of the service tells to add for the whole file, as in `add charset=windows-1252`. */
export function cureIn(message: string): Cure | undefined {
  const [, charset] = /\badd charset=([\w-]+)/.exec(message) ?? [];
  if (charset !== undefined) return { charset };
  // Only a person can fill in the place of an ellipsis.
  const columns = saidParameter(message, 'columns');
  return columns === undefined || columns.includes('…') ? undefined : { columns };
}
