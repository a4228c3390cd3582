/** Creates what looks up hosts: directory, sites, challenges, certificates. Each kind of unknown host has a budget of look-ups. */
import type { KeyRing } from '../../platform/key-ring.ts';
import type { OwnerOf } from './client.ts';
import type { HostingComplaints } from './complaints.ts';
import type { HostingCounts } from './hosting-counts.ts';
import type { HostingLimits } from './hosting-options.ts';
import type { GuardedStorage } from './lookup/guarded-storage.ts';
import { KnownChallenges } from './lookup/known-challenges.ts';
import { KnownHosts } from './lookup/known-hosts.ts';
import { KnownSites } from './lookup/known-sites.ts';
import { LookUpBudget } from './lookup/look-up-budget.ts';
import { KnownCertificates } from './tls/known-certificates.ts';

export interface LookUpsOptions {
  readonly storage: GuardedStorage;
  readonly keys: KeyRing | undefined;
  readonly limits: HostingLimits;
  readonly ownerOf: OwnerOf;
  readonly complain: HostingComplaints;
  readonly counts: HostingCounts;
  readonly now: () => number;
}

/** Creates the look-ups. Without `keys`, there are no certificates. */
export function createLookUps({ storage, keys, limits, ownerOf, complain, counts, now }: LookUpsOptions) {
  const budgetOf = (complaint: 'hostsRefused' | 'challengesRefused' | 'certificatesRefused') =>
    new LookUpBudget({
      missesPerSecond: limits.unknownHostsPerSecond,
      now,
      onRefused: () => complain[complaint]({}),
    });
  const common = { storage, ownerOf, freshMs: limits.siteFreshMs, now };
  const hosts = new KnownHosts(common);
  const sites = new KnownSites({
    ...common,
    maxBytes: limits.siteCacheBytes,
    hosts,
    budget: budgetOf('hostsRefused'),
    counts: counts.sites,
  });
  const challenges = new KnownChallenges({ ...common, hosts, budget: budgetOf('challengesRefused') });
  const certificates =
    keys &&
    new KnownCertificates({
      ...common,
      keys,
      sites,
      budget: budgetOf('certificatesRefused'),
      maxBytes: limits.certificateCacheBytes,
      counts: counts.certificates,
      onDamage: (host, err) => complain.certificateFails({ host, err }),
    });
  counts.siteBytes = () => sites.bytes;
  counts.certificateBytes = () => certificates?.bytes ?? 0;
  return { sites, challenges, certificates };
}
