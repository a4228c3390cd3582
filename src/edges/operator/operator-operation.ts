/** An operation of the operator's API is one declaration, like an operation of customers (docs/decisions/0051). */
import type { Operator } from '../../features/accounts/actor.ts';
import type { OperationOf, Untagged } from '../api/operation.ts';

export type OperatorOperation<Needs> = OperationOf<Operator, Needs>;

/** Declares an operation. Its types check the work against the path and the declared answer. */
export function operatorOperation<Needs, Path extends string, Result>(
  method: OperatorOperation<Needs>['method'],
  path: Path,
  declared: Omit<OperationOf<Operator, Needs, Path, Result>, 'method' | 'path' | 'tag'>,
): Untagged<OperatorOperation<Needs>> {
  return { ...declared, method, path };
}
