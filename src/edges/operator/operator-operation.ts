/** An operation of the operator's API is one declaration, like an operation of customers (docs/decisions/0051). */
import type { Operator } from '../../features/accounts/actor.ts';
import type { OperationOf } from '../api/operation.ts';

export type OperatorOperation<Needs> = OperationOf<Operator, Needs>;

/** Declares an operation. Its types check the work against the declared path and answer. */
export function operatorOperation<Needs, Path extends string, Result>(
  declared: OperationOf<Operator, Needs, Path, Result>,
): OperatorOperation<Needs> {
  return declared;
}
