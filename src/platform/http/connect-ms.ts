/**
 * The time for a connection to one of several addresses. Node gives 250 ms, and then gives the address up for the next one. A host on the
 * other side of the world takes longer, and so does a lost packet, which TCP sends again after a second. If the next address is of IPv6 and
 * this machine has only IPv4, the host could never be reached.
 */
export const CONNECT_MS = 2000;
