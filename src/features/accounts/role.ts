/**
 * The role of a person in an account: an owner may do everything. A member may not rename the account, and may not change members or
 * invitations.
 */
export type Role = (typeof ROLES)[number];
export const ROLES = ['owner', 'member'] as const;
