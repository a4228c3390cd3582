/** Lines to paste, so that the events of a bucket call a hook. docs/api.md has the same lines. */

export interface HookLines {
  /** The name of the store. */
  readonly name: string;
  readonly text: string;
  /** A warning, if the lines replace settings that the bucket already has. */
  readonly warning?: string;
}

/** Returns the lines. People replace the words in capital letters. */
export const hookLines = (url: string): readonly HookLines[] => [
  {
    name: 'Amazon S3, by EventBridge',
    warning:
      'The second line replaces all notifications of the bucket. The first one prints them: add what it prints to the second, or they are gone.',
    text: [
      'aws s3api get-bucket-notification-configuration --bucket BUCKET',
      'aws s3api put-bucket-notification-configuration --bucket BUCKET --notification-configuration \'{"EventBridgeConfiguration":{}}\'',
      "aws events create-connection --name waypost --authorization-type API_KEY --auth-parameters 'ApiKeyAuthParameters={ApiKeyName=X-Sender,ApiKeyValue=s3}'",
      `aws events create-api-destination --name waypost --http-method POST --connection-arn CONNECTION_ARN --invocation-endpoint ${url}`,
      'aws events put-rule --name waypost --event-pattern \'{"source":["aws.s3"],"detail-type":["Object Created"],"detail":{"bucket":{"name":["BUCKET"]}}}\'',
      'aws events put-targets --rule waypost --targets Id=waypost,Arn=API_DESTINATION_ARN,RoleArn=ROLE_ARN',
    ].join('\n'),
  },
  {
    name: 'Google Cloud Storage, by Pub/Sub',
    text: [
      'gcloud pubsub topics create waypost',
      'gcloud storage buckets notifications create gs://BUCKET --topic=waypost --event-types=OBJECT_FINALIZE',
      `gcloud pubsub subscriptions create waypost --topic=waypost --push-endpoint=${url}`,
    ].join('\n'),
  },
  {
    name: 'Azure Blob Storage, by Event Grid',
    text: `az eventgrid event-subscription create --name waypost --source-resource-id STORAGE_ACCOUNT_ID --included-event-types Microsoft.Storage.BlobCreated --event-delivery-schema cloudeventschemav1_0 --endpoint ${url}`,
  },
  { name: 'Any program', text: `curl -s -X POST ${url}` },
];
