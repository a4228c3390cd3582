/** The role of a person in an account: an owner may do everything, a member everything but change members. */
export type Role = (typeof ROLES)[number];
export const ROLES = ['owner', 'member'] as const;
