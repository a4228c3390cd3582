/**
 * The subjects of sealed keys. A sealed key is opened only with its subject, so it is of no use in another row (`platform/key-ring.ts`).
 * The subject of a certificate's key is in `features/sites/certificate.ts`.
 */

/** Returns the subject of the private key (PKCS #8 in DER) of our account at an authority. */
export const accountSubject = (directory: string) => ['acme account', directory];

/** Returns the subject of the private key (PKCS #8 in DER) of an order under way. */
export const orderSubject = (hostname: string, orderUrl: string) => ['order', hostname, orderUrl];
