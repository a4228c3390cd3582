/** The button that uploads the file again, read with other parameters. */
import { sayCure } from '../say-parameters.ts';
import type { Cure } from './cure-in.ts';

/** The effect of a cure on the file. */
export interface Remedy {
  readonly apply: (cure: Cure) => void;
  /** Whether the file is then published, and not only checked. */
  readonly publishes: boolean;
}

export function CureButton({ cure, remedy }: { readonly cure: Cure; readonly remedy: Remedy }) {
  return (
    <button type="button" class="small" onClick={() => remedy.apply(cure)}>
      Read as {sayCure(cure)}
      {remedy.publishes && ', and publish'}
    </button>
  );
}
