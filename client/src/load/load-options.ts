/** The options of a load, and the body of its request. */
import type { UploadForm } from '../upload/form.ts';
import { type UploadOptions, uploadQuery } from '../upload/upload-options.ts';

export interface LoadOptions extends Omit<UploadOptions, 'dryRun'> {
  /** The form of all lists. By default, the service finds the form of each list by its name, its Content-Type or its beginning. */
  readonly form?: UploadForm | undefined;
  /** The name of a connection. Sources in buckets need one. */
  readonly connection?: string | undefined;
  /** Reads and publishes nothing if the live upload was loaded from the same objects, by their entity tags. */
  readonly ifChanged?: boolean | undefined;
  /** `skip`: leaves out an object that does not exist, or is a page of HTML. Default `fail`. */
  readonly onMissing?: 'fail' | 'skip' | undefined;
  /** Hosts of other domains whose sitemaps an index may list. */
  readonly allowHosts?: readonly string[] | undefined;
}

export function loadBody(domain: string, sources: readonly string[], options: LoadOptions) {
  const { form, connection, ifChanged, onMissing, allowHosts } = options;
  const { header, ...asked } = uploadQuery(domain, options);
  return {
    ...{ ...asked, header: header === undefined ? undefined : String(header) },
    ...{ sources, form, connection, ifChanged, onMissing, allowHosts },
  };
}
