/** An operation of the operator's API is one declaration, like an operation of customers (docs/decisions/0051). */
import type { Operator } from '../../features/accounts/actor.ts';
import type { DeclarationOf, OperationOf } from '../api/operation.ts';

export type OperatorOperation<Needs> = OperationOf<Needs, Operator>;

/** Declares an operation. Its types check the work against the declared path and answer. */
export function operatorOperation<Needs, Path extends string, Result>(
  declared: DeclarationOf<Needs, Path, Result, Operator>,
): OperatorOperation<Needs> {
  return { ...declared, answers: [declared.answer] };
}
