/** The SQL of token buckets that all processes share: a row with the tokens that were there, and when. */

export interface TokenBucket {
  /** The columns. */
  readonly tokens: string;
  readonly at: string;
  /** Expressions: the most that a bucket holds, and what comes in a second. */
  readonly most: string;
  readonly perSecond: string;
}

/** An expression: the tokens that are there now. */
export const tokensNow = ({ tokens, at, most, perSecond }: TokenBucket) =>
  `least(${most}, ${tokens} + ${perSecond} * greatest(0, extract(epoch FROM now() - ${at})::float8))`;
