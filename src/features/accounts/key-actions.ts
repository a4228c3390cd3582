/**
 * The actions that a key may be limited to. Each operation declares the actions that it needs. The form for a new key shows all actions.
 */
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
