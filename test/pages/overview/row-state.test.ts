import { expect, test } from 'vitest';
import { rowState } from '../../../pages/views/overview/row-state.ts';
import type { DomainRow, RunningUpload } from '../../../src/edges/dashboard/wire.ts';

const NOW = new Date(2026, 10, 23, 12, 0).getTime();
const ROW = { id: 'domain_a', status: 'active', need: null } as DomainRow;
const NEED = {
  kind: 'dns',
  state: 'DNS: wrong target',
  severity: 'waiting',
  deadline: null,
} as DomainRow['need'];
const UPLOAD = {
  domainId: 'domain_a',
  sitemapName: 'default',
  bytesReceived: 4,
  bytesTotal: 10,
} as RunningUpload;

test('a need comes first, then an upload under way, then the life of the domain', () => {
  const held = {
    ...NEED!,
    kind: 'heldUpload',
    state: 'Upload held',
    deadline: new Date(2026, 10, 24).toISOString(),
  };
  const of = (row: Partial<DomainRow>, ...running: RunningUpload[]) =>
    rowState({ ...ROW, ...row }, running, NOW);
  expect(of({ need: { ...held, kind: 'heldUpload' } })).toEqual({
    tone: 'waiting',
    word: 'Upload held, decide by tomorrow',
  });
  expect(of({ need: NEED }, UPLOAD)).toEqual({ tone: 'waiting', word: 'DNS: wrong target' });
  expect(of({}, UPLOAD)).toEqual({ tone: 'busy', word: 'Uploading “default”, 40%' });
  expect(of({}, { ...UPLOAD, sitemapName: null, bytesTotal: null })).toEqual({
    tone: 'busy',
    word: 'Uploading',
  });
  expect(of({}, { ...UPLOAD, domainId: 'domain_b' })).toEqual({ tone: 'good', word: 'Live' });
  expect(of({ status: 'verified' })).toEqual({ tone: 'busy', word: 'Getting a certificate' });
  expect(of({ status: 'verified', isCertificateFailing: true })).toEqual({
    tone: 'bad',
    word: 'No certificate',
  });
  expect(of({ status: 'pending_verification' })).toEqual({ tone: 'waiting', word: 'Waiting for DNS' });
  expect(of({ status: 'failed' })).toEqual({ tone: 'bad', word: 'Not live' });
});
