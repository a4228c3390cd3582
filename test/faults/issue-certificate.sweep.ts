import { sweepIssuance } from './support/issuance-sweep.ts';

sweepIssuance('a first certificate', (world) => world.addDueDomain());
