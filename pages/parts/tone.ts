/** How a state feels: each tone has a shape and a colour (`chip.tsx`). */
export type Tone = 'good' | 'busy' | 'waiting' | 'bad' | 'neutral';
