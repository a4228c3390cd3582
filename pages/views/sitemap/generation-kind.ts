/** What made a generation, in words. */
import type { Generation } from '../../../client/src/answers.ts';

export function kindOf({ kind, restores }: Pick<Generation, 'kind' | 'restores'>): string {
  switch (kind) {
    case 'upload':
      return 'Upload';
    case 'delta':
      return 'Delta';
    case 'rollback':
      return `Roll back to ${restores ?? 'a former one'}`;
  }
}
