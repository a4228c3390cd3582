/** The SQL of token buckets that all processes share. A row has a number of tokens, and the time at which the number was right. */

export interface TokenBucket {
  /** The columns. */
  readonly tokens: string;
  readonly at: string;
  /** Expressions: the capacity of the bucket, and how many tokens it gains in a second. */
  readonly most: string;
  readonly perSecond: string;
}

/** Returns an expression for the number of tokens now. */
export const tokensNow = ({ tokens, at, most, perSecond }: TokenBucket) =>
  `least(${most}, ${tokens} + ${perSecond} * greatest(0, extract(epoch FROM now() - ${at})::float8))`;
