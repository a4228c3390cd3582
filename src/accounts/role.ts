/** What somebody is in an account: an owner does everything, a member everything but changes of members. */
export type Role = 'owner' | 'member';
