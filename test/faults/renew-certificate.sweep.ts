import { sweepIssuance } from './support/issuance-sweep.ts';

sweepIssuance('a renewal', (world) => world.addDomainToRenew());
