/** Says the origin of a generation in words. For people, a generation is a version. */
import type { Generation } from '../../../client/src/answers.ts';

export function kindOf({ kind, restores }: Pick<Generation, 'kind' | 'restores'>): string {
  switch (kind) {
    case 'upload':
      return 'Upload';
    case 'delta':
      return 'Partial update';
    case 'rollback':
      return `Roll back to ${restores ?? 'a former one'}`;
  }
}
