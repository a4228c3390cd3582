/** All operations of operators, in the order of their description, and the introduction to that description. */

import type { About } from '../api/openapi/build-document.ts';
import type { DescribedOperation } from '../api/operation.ts';
import type { RunNeeds } from '../api/operation-routes.ts';
import { describeDescription } from '../api/reference/reference-operations.ts';
import { type AccountNeeds, accountOperations } from './account-operations.ts';
import { type AccountUsageNeeds, accountUsageOperations } from './account-usage-operations.ts';
import { type CertificateNeeds, certificateOperations } from './certificate-operations.ts';
import { type DomainListNeeds, domainListOperations } from './domain-list-operations.ts';
import { type DomainNeeds, domainOperations } from './domain-operations.ts';
import { type ExaminationNeeds, examinationOperations } from './examination-operations.ts';
import { type KeyNeeds, keyOperations } from './key-operations.ts';
import type { OperatorOperation } from './operator-operation.ts';
import { type PlanNeeds, planOperations } from './plan-operations.ts';
import { type RebuildNeeds, rebuildOperations } from './rebuild-operations.ts';
import { type SubmissionNeeds, submissionOperations } from './submission-operations.ts';
import { type TenantNeeds, tenantOperations } from './tenant-operations.ts';
import { type UploadListNeeds, uploadOperations } from './upload-operations.ts';
import { type OperatedWebhookNeeds, webhookOperations } from './webhook-operations.ts';

export type OperatorNeeds = RunNeeds &
  AccountNeeds &
  AccountUsageNeeds &
  TenantNeeds &
  PlanNeeds &
  KeyNeeds &
  CertificateNeeds &
  DomainNeeds &
  DomainListNeeds &
  RebuildNeeds &
  SubmissionNeeds &
  UploadListNeeds &
  OperatedWebhookNeeds &
  ExaminationNeeds;

export const OPERATOR_OPERATIONS: readonly OperatorOperation<OperatorNeeds>[] = [
  ...accountOperations,
  ...accountUsageOperations,
  ...tenantOperations,
  ...planOperations,
  ...keyOperations,
  ...domainOperations,
  ...domainListOperations,
  ...certificateOperations,
  ...rebuildOperations,
  ...uploadOperations,
  ...submissionOperations,
  ...webhookOperations,
  ...examinationOperations,
];

export const DESCRIPTION_PATH = '/operator/openapi.json';

export const DESCRIBED: readonly DescribedOperation[] = [
  ...OPERATOR_OPERATIONS,
  describeDescription(DESCRIPTION_PATH),
];

export const ABOUT: About = {
  title: "Waypost, the operator's API",
  description:
    'With this API the operator of a Waypost manages the accounts of customers. It listens on a port of its own, which must not be ' +
    'public.\n\nEnvelope, errors, pages and `Idempotency-Key` are those of the API of customers. Each change stands in the audit ' +
    'log of its account with the name of the token.',
  tags: {
    Accounts: 'Customers, by the id of their account or by your own name of it.',
    Plans: 'Limits of accounts, over those of the setting `PLANS`.',
    Keys: 'Keys of customers, and links by which people begin.',
    Domains: 'Hostnames of customers, their certificates, and what hosting serves for them.',
    Webhooks: 'Addresses of customers that receive events, and what was sent there.',
    Examinations: 'Whether database, object storage and jobs are well.',
    Reference: 'This description.',
  },
  securitySchemes: {
    Token: {
      type: 'http',
      scheme: 'bearer',
      description: '`op_live_` and 43 characters, made by `npm run cli -- operator-token`.',
    },
  },
  messages: {
    UNAUTHORIZED: "The token of the operator's API is invalid or missing.",
    NOT_FOUND: 'There is no such account.',
    CONFLICT: 'Another account has the ref tenant-4711.',
    METHOD_NOT_ALLOWED: 'PUT is not allowed here: use GET or POST.',
  },
};
