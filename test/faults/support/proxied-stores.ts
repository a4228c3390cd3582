/** A database and a bucket of a test, with and without proxies that break calls. */
import { type FaultProxy, startFaultProxy } from '../../support/fault-proxy.ts';
import type { StoreSettings } from './open-stores.ts';
import { type OwnStores, openOwnStores } from './own-stores.ts';

export interface ProxiedStores extends OwnStores {
  readonly postgres: FaultProxy;
  readonly s3: FaultProxy;
  readonly direct: StoreSettings;
  readonly throughProxies: StoreSettings;
}

export async function openProxiedStores(scope: AsyncDisposableStack): Promise<ProxiedStores> {
  const own = await openOwnStores(scope);
  const address = new URL(own.databaseUrl.reveal());
  const { s3Url, s3Settings } = own;
  const postgres = scope.use(await startFaultProxy({ port: Number(address.port), protocol: 'postgres' }));
  const s3 = scope.use(
    await startFaultProxy({ port: Number(s3Url.port), host: s3Url.hostname, protocol: 'http' }),
  );
  const direct: StoreSettings = {
    databaseUrl: address.href,
    s3: {
      endpoint: s3Url.origin,
      region: s3Settings.S3_REGION!,
      bucket: s3Settings.S3_BUCKET!,
      accessKey: s3Settings.S3_ACCESS_KEY!,
      secretKey: s3Settings.S3_SECRET_KEY!,
    },
  };
  const throughProxies: StoreSettings = {
    databaseUrl: Object.assign(new URL(address), { port: postgres.port }).href,
    s3: { ...direct.s3, endpoint: `http://127.0.0.1:${s3.port}` },
  };
  return { ...own, postgres, s3, direct, throughProxies };
}
