import type { Type } from '@nestjs/common';
import { Membership } from './accounts/access/membership.entity.js';
import { AccountApp } from './accounts/account-apps/account-app.entity.js';
import { AccountChange } from './accounts/change-log/account-change.entity.js';
import { Account, Business } from './accounts/entities/account.entity.js';
import { TaxSettings } from './accounts/tax-settings/tax-settings.entity.js';
import { UserSettings } from './accounts/entities/user-settings.entity.js';
import { PromotableUser } from './accounts/promotable-users/promotable-user.entity.js';
import { AppEventTag } from './app-measurement/app-event-tags/app-event-tag.entity.js';
import { AppList } from './app-measurement/app-lists/app-list.entity.js';
import { ProviderConfiguration } from './app-measurement/provider-configurations/provider-configuration.entity.js';
import { AudiencePermission } from './audiences/audience-permissions/audience-permission.entity.js';
import {
  DirectoryChange,
  DirectoryIdentifier,
  DirectorySample,
  DirectoryUser,
  RemovedIdentifier,
} from './audiences/directory/directory.entity.js';
import { AudienceIdentifier } from './audiences/entities/audience-identifier.entity.js';
import { AudienceSizing } from './audiences/entities/audience-sizing.entity.js';
import { AudienceSnapshot, AudienceSnapshotSlice } from './audiences/entities/audience-snapshot.entity.js';
import { CustomAudience } from './audiences/entities/custom-audience.entity.js';
import { DoNotReachList } from './audiences/entities/do-not-reach-list.entity.js';
import { StoreSetting } from './audiences/locations/store-setting.entity.js';
import { AudienceRemoval } from './audiences/removals/audience-removal.entity.js';
import { BearerToken } from './auth/bearers/bearer-token.entity.js';
import { AccessToken } from './auth/credentials/access-token.entity.js';
import { Application } from './auth/credentials/application.entity.js';
import { User } from './auth/credentials/user.entity.js';
import { VaultKey } from './auth/credentials/vault-key.entity.js';
import { AuthorizationCode, Grant, GrantToken } from './auth/grants/grant.entity.js';
import { IdempotentRequest } from './auth/idempotency/idempotent-request.entity.js';
import { RequestToken } from './auth/oauth1/request-token.entity.js';
import { HandedOverNonce, NonceEpoch, NonceGeneration, Replica, UsedNonce } from './auth/replay/nonces.entity.js';
import { Session, SignInAttempt } from './auth/sessions/session.entity.js';
import { TargetingCriterion, TargetingSet } from './campaigns/criterion-sets/targeting-criterion.entity.js';
import { Campaign } from './campaigns/entities/campaign.entity.js';
import { CuratedCategory } from './campaigns/entities/curated-category.entity.js';
import { LineItem } from './campaigns/entities/line-item.entity.js';
import { FundingInstrument } from './campaigns/funding-instruments/funding-instrument.entity.js';
import { LineItemCuratedCategory } from './campaigns/line-item-curated-categories/line-item-curated-category.entity.js';
import { LineItemApp } from './campaigns/line-item-apps/line-item-app.entity.js';
import { MediaCreative } from './campaigns/media-creatives/media-creative.entity.js';
import { PrerollCallToAction } from './campaigns/preroll-call-to-actions/preroll-call-to-action.entity.js';
import { PromotedAccount } from './campaigns/promoted-accounts/promoted-account.entity.js';
import { PromotedPost } from './campaigns/promoted-posts/promoted-post.entity.js';
import { AdvertiserBusinessCategory } from './campaigns/reference/advertiser-business-categories/advertiser-business-category.entity.js';
import { BiddingRule } from './campaigns/reference/bidding-rules/bidding-rule.entity.js';
import { ContentCategory } from './campaigns/reference/content-categories/content-category.entity.js';
import { IabCategory } from './campaigns/reference/iab-categories/iab-category.entity.js';
import { Publisher } from './campaigns/reference/publishers/publisher.entity.js';
import { ScheduledPromotedPost } from './campaigns/scheduled-promoted-posts/scheduled-promoted-post.entity.js';
import { AbTest } from './campaigns/ab-tests/ab-test.entity.js';
import { TrackingTag } from './campaigns/tracking-tags/tracking-tag.entity.js';
import { ProductCatalog } from './catalogs/entities/product-catalog.entity.js';
import { ProductSet } from './catalogs/entities/product-set.entity.js';
import { ScheduledFeed } from './catalogs/entities/scheduled-feed.entity.js';
import { Product } from './catalogs/entities/product.entity.js';
import { BlobFolder } from './common/blobs/blob-folder.entity.js';
import { Counter } from './common/db/counters/counter.entity.js';
import { JobRow } from './common/jobs/job-row.entity.js';
import { OutgoingEvent } from './common/outbox/outgoing-event.entity.js';
import { StorageUsage } from './common/storage/storage-usage.entity.js';
import { LeadForm } from './creatives/lead-forms/lead-form.entity.js';
import { Lead } from './creatives/leads/lead.entity.js';
import { AccountMedia } from './creatives/account-media/account-media.entity.js';
import { Card } from './creatives/entities/card.entity.js';
import { DraftPost } from './creatives/entities/draft-post.entity.js';
import { LibraryMedia } from './creatives/entities/library-media.entity.js';
import { Media, MediaPart, MediaSubtitles } from './creatives/entities/media.entity.js';
import { Post, PostName } from './creatives/entities/post.entity.js';
import { PreviewNotification } from './creatives/entities/preview-notification.entity.js';
import { ScheduledPost } from './creatives/entities/scheduled-post.entity.js';
import { PostTerms } from './creatives/post-terms/post-terms.entity.js';
import { DeliveryPosition } from './statistics/delivery/delivery-position.entity.js';
import { ConversionFact } from './measurement/entities/conversion-fact.entity.js';
import { Engagement } from './measurement/entities/engagement.entity.js';
import {
  AppEventKey,
  Conversion,
  ConversionDay,
  ConversionKey,
  ConversionToMatch,
} from './measurement/conversions/conversion.entity.js';
import { PixelToken } from './measurement/pixel-tokens/pixel-token.entity.js';
import { WebAudience } from './measurement/entities/web-audience.entity.js';
import { WebEventTag } from './measurement/entities/web-event-tag.entity.js';
import { DeliveryAudience } from './statistics/facts/delivery-audience.entity.js';
import { DeliveryDay, DeliveryRollup } from './statistics/facts/delivery-day.entity.js';
import { DeliveryFact } from './statistics/facts/delivery-fact.entity.js';
import { LeadExport } from './lead-exports/lead-export.entity.js';
import { StatisticsJob } from './statistics/jobs/statistics-job.entity.js';
import { ChangePosition } from './webhooks/entities/change-position.entity.js';
import { WebhookAttempt, WebhookDelivery } from './webhooks/entities/webhook-delivery.entity.js';
import { WebhookSubscription } from './webhooks/entities/webhook-subscription.entity.js';
import { Webhook } from './webhooks/entities/webhook.entity.js';
import { WebhookReplay } from './webhooks/replay/webhook-replay.entity.js';
import { TestClock } from './workbench/clocks/test-clock.entity.js';
import { Fault } from './workbench/faults/fault.entity.js';
import { RequestMinute } from './workbench/journal/request-minute.entity.js';
import { JournaledRequest } from './workbench/journal/journaled-request.entity.js';
import { Namespace } from './workbench/namespaces/namespace.entity.js';
import { Snapshot, SnapshotPart } from './workbench/snapshots/snapshot.entity.js';

/** All tables, by domain. */
export const ENTITIES: Type[] = [
  // common
  BlobFolder,
  Counter,
  JobRow,
  OutgoingEvent,
  StorageUsage,
  // auth
  AccessToken,
  Application,
  BearerToken,
  AuthorizationCode,
  Grant,
  GrantToken,
  HandedOverNonce,
  IdempotentRequest,
  NonceEpoch,
  NonceGeneration,
  Replica,
  RequestToken,
  Session,
  SignInAttempt,
  UsedNonce,
  User,
  VaultKey,
  // accounts
  Account,
  AccountApp,
  AccountChange,
  Business,
  Membership,
  PromotableUser,
  TaxSettings,
  UserSettings,
  ProductCatalog,
  Product,
  ProductSet,
  ScheduledFeed,
  // creatives
  AccountMedia,
  Card,
  DraftPost,
  Lead,
  LeadForm,
  LeadExport,
  LibraryMedia,
  Media,
  MediaPart,
  MediaSubtitles,
  Post,
  PostName,
  PostTerms,
  PreviewNotification,
  ScheduledPost,
  // audiences
  AudienceIdentifier,
  AudiencePermission,
  AudienceRemoval,
  AudienceSizing,
  AudienceSnapshot,
  AudienceSnapshotSlice,
  CustomAudience,
  DirectoryChange,
  DirectoryIdentifier,
  RemovedIdentifier,
  DirectorySample,
  DirectoryUser,
  DoNotReachList,
  StoreSetting,
  // measurement
  AppEventKey,
  Conversion,
  ConversionDay,
  ConversionFact,
  ConversionKey,
  ConversionToMatch,
  Engagement,
  PixelToken,
  WebAudience,
  WebEventTag,
  // app-measurement
  AppEventTag,
  AppList,
  ProviderConfiguration,
  // campaigns
  Campaign,
  FundingInstrument,
  LineItem,
  LineItemApp,
  TargetingCriterion,
  TargetingSet,
  LineItemCuratedCategory,
  MediaCreative,
  PrerollCallToAction,
  PromotedAccount,
  PromotedPost,
  ScheduledPromotedPost,
  AbTest,
  TrackingTag,
  AdvertiserBusinessCategory,
  BiddingRule,
  ContentCategory,
  CuratedCategory,
  IabCategory,
  Publisher,
  // statistics
  DeliveryAudience,
  DeliveryDay,
  DeliveryFact,
  DeliveryPosition,
  DeliveryRollup,
  StatisticsJob,
  // webhooks
  ChangePosition,
  Webhook,
  WebhookSubscription,
  WebhookDelivery,
  WebhookAttempt,
  WebhookReplay,
  // workbench
  JournaledRequest,
  RequestMinute,
  Fault,
  Snapshot,
  SnapshotPart,
  Namespace,
  TestClock,
];
