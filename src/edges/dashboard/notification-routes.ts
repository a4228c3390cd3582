/** The route of the mails that a person gets of the account. */
import type { Router } from 'express';
import { z } from 'zod';
import { answer } from '../../core/web/envelope.ts';
import { readMembers } from '../../core/web/json-body.ts';
import { routesOf } from '../../core/web/routes-of.ts';
import { holdCaller } from '../../features/accounts/hold-caller.ts';
import type { Accounts } from '../../features/accounts/open-accounts.ts';
import type { MailChoice } from '../../features/webhooks/mail/mail-store.ts';
import type { MailRoom } from '../../features/webhooks/mail/open-mail.ts';
import { TOPICS } from '../../features/webhooks/mail/topics.ts';
import { invalidField, Refusal } from '../../platform/refusal.ts';
import type { Person, SignedIn } from './signed-in.ts';
import type { Notifications } from './wire.ts';

export interface NotificationRoutesOptions {
  readonly accounts: Pick<Accounts, 'describeUser'>;
  readonly mail: Pick<MailRoom, 'isAvailable' | 'find' | 'save' | 'end'>;
  readonly maxBodyBytes: number;
}

const addressSchema = z.email('must be an e-mail address').max(254, 'must have at most 254 characters');
const topicsSchema = z
  .array(z.enum(TOPICS), 'must be a list')
  .min(1, 'must name at least one')
  .transform((topics) => [...new Set(topics)]);
const againSchema = z.boolean('must be true or false').nullable();

export function notificationRoutes(options: NotificationRoutesOptions, signedIn: SignedIn): Router {
  const { accounts, mail, maxBodyBytes } = options;
  const describe = async (person: Person, choice: MailChoice | undefined): Promise<Notifications> => {
    const user = await accounts.describeUser(person.session.userId);
    return {
      isAvailable: mail.isAvailable,
      address: choice?.address ?? null,
      suggestedAddress: user?.email ?? null,
      isProven: choice?.provenAt != null,
      topics: choice?.topics ?? [],
      problem: choice?.disabledWhy ?? null,
    };
  };
  return routesOf({
    '/dashboard/api/notifications': {
      get: signedIn(async (person, _request, response) => {
        const choice = await mail.find(person.accountId, person.session.userId);
        answer(response, 200, await describe(person, choice));
      }),
      put: signedIn(async (person, request, response) => {
        const given = await readMembers(request, response, ['address', 'topics', 'again'], maxBodyBytes);
        const wanted = {
          ...{ accountId: person.accountId, userId: person.session.userId },
          address: parse('address', addressSchema, given.get('address')),
          topics: parse('topics', topicsSchema, given.get('topics')),
        };
        const asksAgain = parse('again', againSchema, given.get('again') ?? null) ?? false;
        if (!mail.isAvailable) {
          throw new Refusal('SERVICE_UNAVAILABLE', 'The operator of this service has not set a mail server.');
        }
        const saved = await mail.save(wanted, asksAgain, (transaction) => holdCaller(transaction, person));
        answer(response, 200, await describe(person, saved));
      }),
      delete: signedIn(async (person, _request, response) => {
        const { accountId, session } = person;
        await mail.end(accountId, session.userId, (transaction) => holdCaller(transaction, person));
        answer(response, 200, await describe(person, undefined));
      }),
    },
  });
}

function parse<Value>(field: string, schema: z.ZodType<Value>, given: unknown): Value {
  const parsed = schema.safeParse(given);
  if (parsed.success) return parsed.data;
  throw invalidField(field, given, parsed.error.issues[0]!.message);
}
