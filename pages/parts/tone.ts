/** The tone of a state. Each tone has a shape and a colour (`chip.tsx`). */
export type Tone = 'good' | 'busy' | 'waiting' | 'bad' | 'neutral';
