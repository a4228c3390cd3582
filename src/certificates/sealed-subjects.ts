/** What the keys in our tables are sealed for (`platform/key-ring.ts`). That of a certificate is in `sites/certificate.ts`. */

/** The private key of an account at an authority: PKCS #8 in DER. */
export const accountSubject = (directory: string) => ['acme account', directory];

/** The private key of an order under way: PKCS #8 in DER. */
export const orderSubject = (hostname: string, orderUrl: string) => ['order', hostname, orderUrl];
