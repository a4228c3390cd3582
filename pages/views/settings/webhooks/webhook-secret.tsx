/** Shows the secret with which a receiver checks that a request comes from Waypost. It is shown once. */
import { ShownOnce } from '../../../parts/shown-once.tsx';

export interface WebhookSecretProps {
  readonly secret: string;
  readonly onStored: () => void;
}

export function WebhookSecret({ secret, onStored }: WebhookSecretProps) {
  return (
    <ShownOnce title="The webhook's secret" secret={secret} label="the secret" onStored={onStored}>
      <p>Your program checks with it that a request comes from Waypost.</p>
    </ShownOnce>
  );
}
