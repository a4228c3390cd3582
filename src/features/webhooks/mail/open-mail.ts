/** Opens the part of the room for people who choose mails, and for the links in the mails. */
import type { NewId } from '../../../platform/ids.ts';
import { type Database, inTransaction, type Transaction } from '../../../platform/postgres/database.ts';
import type { Secret } from '../../../platform/secret.ts';
import { verbsOn } from '../../../platform/verb.ts';
import { findMail, proveMail, saveMail, stopMail, type WantedMail } from './mail-store.ts';
import { readProofToken, readStopToken } from './mail-token.ts';

export interface OpenMailOptions {
  readonly database: Database;
  readonly newId: NewId;
  /** WEBHOOK_SECRET, if the operator has also set an SMTP server. */
  readonly master: Secret | undefined;
}

export type MailRoom = ReturnType<typeof openMail>;

export function openMail({ database, newId, master }: OpenMailOptions) {
  const readStop = (token: string) => master && readStopToken(master, token);
  const readProof = (token: string, now: Date) => master && readProofToken(master, token, now);
  return {
    isAvailable: master !== undefined,
    ...verbsOn(database, { find: findMail }),
    /** Saves the choice of a person. `first` runs first in the transaction. Throws Refusal CONFLICT as `saveMail` does. */
    save: (
      wanted: Omit<WantedMail, 'id'>,
      asksAgain: boolean,
      first: (transaction: Transaction) => Promise<void>,
    ) =>
      inTransaction(database, async (transaction) => {
        await first(transaction);
        return saveMail(transaction, { ...wanted, id: newId('webhook') }, asksAgain);
      }),
    /** Ends the mails of a person. `first` runs first in the transaction. */
    end: (accountId: string, userId: string, first: (transaction: Transaction) => Promise<void>) =>
      inTransaction(database, async (transaction) => {
        await first(transaction);
        const mail = await findMail(transaction, accountId, userId);
        if (mail !== undefined) await stopMail(transaction, mail.id);
      }),
    isStopToken: (token: string) => readStop(token) !== undefined,
    isProofToken: (token: string, now: Date) => readProof(token, now) !== undefined,
    /** Ends the mails that the token names. Returns false for a text that is no such token. */
    async stopBy(token: string): Promise<boolean> {
      const id = readStop(token);
      if (id === undefined) return false;
      await stopMail(database, id);
      return true;
    },
    /**
     * Records that the address to which the token was sent is proved, and returns the address. Returns undefined for a text that is no such
     * token, and if the person has chosen another address or no mails meanwhile.
     */
    async proveBy(token: string, now: Date): Promise<string | undefined> {
      const proof = readProof(token, now);
      if (proof === undefined) return undefined;
      return (await proveMail(database, proof.endpointId, proof.address)) ? proof.address : undefined;
    },
  };
}
