/** Said wherever a hostname may be a website, before anybody changes its DNS. */
import type { ComponentChildren } from 'preact';
import { Icon } from './icon.tsx';

export interface WebsiteWarningProps {
  readonly hostname: string;
  /** The address that the hostname leads to. Undefined if only the name tells of a website. */
  readonly address: string | undefined;
  /** The way out. */
  readonly children: ComponentChildren;
}

export function WebsiteWarning({ hostname, address, children }: WebsiteWarningProps) {
  return (
    <div class="notice" role="status">
      <Icon name="warning" />
      <p>
        <strong>This looks like your website. Don't change its DNS.</strong>
        {address ? `${hostname} is live at ${address}.` : `${hostname} is a name that websites have.`} If you
        point it to Waypost, your website goes offline. Use a name of its own for sitemaps; your pages stay
        where they are.
      </p>
      {children}
    </div>
  );
}
