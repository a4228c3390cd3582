/** What a key may be allowed to do. Each operation declares which of these it needs. The form for a new key has them, too. */
export const KEY_ACTIONS = [
  'read',
  'upload',
  'rollback',
  'delete',
  'domains',
  'webhooks',
  'connections',
] as const;
export type KeyAction = (typeof KEY_ACTIONS)[number];
