import type { Type } from '@nestjs/common';
import type { MigrationInterface } from 'typeorm';
import { InitialSchema1795226646165 } from './1795226646165-FirstRoad.js';
import { Credentials1795228496143 } from './1795228496143-Credentials.js';
import { NonceStoreNames1795276800000 } from './1795276800000-NonceStoreNames.js';
import { CustomAudiences1795278705293 } from './1795278705293-CustomAudiences.js';
import { JobQueue1795363200000 } from './1795363200000-JobQueue.js';
import { Creatives1795400000000 } from './1795400000000-Creatives.js';
import { MediaUploads1795400100000 } from './1795400100000-MediaUploads.js';
import { OldPreviewNotifications1795403600000 } from './1795403600000-OldPreviewNotifications.js';
import { ScheduledPostQueues1795403700000 } from './1795403700000-ScheduledPostQueues.js';
import { PlansOfCreatives1795403800000 } from './1795403800000-PlansOfCreatives.js';
import { AudienceIdentifiers1795500000000 } from './1795500000000-AudienceIdentifiers.js';
import { DoNotReachLists1795500100000 } from './1795500100000-DoNotReachLists.js';
import { Directory1795500200000 } from './1795500200000-Directory.js';
import { PostTerms1795500300000 } from './1795500300000-PostTerms.js';
import { FlexibleAudiences1795500400000 } from './1795500400000-FlexibleAudiences.js';
import { AudienceSizings1795500500000 } from './1795500500000-AudienceSizings.js';
import { LineItems1795600000000 } from './1795600000000-LineItems.js';
import { ReferenceData1795600100000 } from './1795600100000-ReferenceData.js';
import { AccountApps1795600110000 } from './1795600110000-AccountApps.js';
import { LocationOfTheUnitedStates1795600200000 } from './1795600200000-LocationOfTheUnitedStates.js';
import { DirectorySample1795600300000 } from './1795600300000-DirectorySample.js';
import { PromotedPosts1795600400000 } from './1795600400000-PromotedPosts.js';
import { ShownByLineItems1795600410000 } from './1795600410000-ShownByLineItems.js';
import { LineItemCuratedCategories1795600420000 } from './1795600420000-LineItemCuratedCategories.js';
import { TargetingCriteria1795600500000 } from './1795600500000-TargetingCriteria.js';
import { AudienceSnapshots1795650000000 } from './1795650000000-AudienceSnapshots.js';
import { Webhooks1795700000000 } from './1795700000000-Webhooks.js';
import { RequestTokensApproved1795700050000 } from './1795700050000-RequestTokensApproved.js';
import { WebhookChecks1795700100000 } from './1795700100000-WebhookChecks.js';
import { WebhookDeliveries1795700200000 } from './1795700200000-WebhookDeliveries.js';
import { WebhookReplays1795700300000 } from './1795700300000-WebhookReplays.js';
import { BlobFolder1795701000000 } from './1795701000000-BlobFolder.js';
import { MediaAttempts1795701100000 } from './1795701100000-MediaAttempts.js';
import { StorageUsage1795701200000 } from './1795701200000-StorageUsage.js';
import { AudienceRemovals1795701210000 } from './1795701210000-AudienceRemovals.js';
import { SignInUsers1795701400000 } from './1795701400000-SignInUsers.js';
import { UserRemoval1795702000000 } from './1795702000000-UserRemoval.js';
import { EventsFromHistory1795800000000 } from './1795800000000-EventsFromHistory.js';
import { KeysBeginWithAccount1796000000000 } from './1796000000000-KeysBeginWithAccount.js';
import { PartitionAccountChanges1796100000000 } from './1796100000000-PartitionAccountChanges.js';
import { PartitionWebhookAttempts1796100100000 } from './1796100100000-PartitionWebhookAttempts.js';
import { JournaledRequests1796200000000 } from './1796200000000-JournaledRequests.js';
import { IdempotentRequests1796250000000 } from './1796250000000-IdempotentRequests.js';
import { Faults1796400000000 } from './1796400000000-Faults.js';
import { Snapshots1796500000000 } from './1796500000000-Snapshots.js';
import { Namespaces1796550000000 } from './1796550000000-Namespaces.js';
import { TestClocks1796600000000 } from './1796600000000-TestClocks.js';
import { WebhookFaults1796650000000 } from './1796650000000-WebhookFaults.js';
import { DeliveryFacts1796700000000 } from './1796700000000-DeliveryFacts.js';
import { SimulatedDelivery1796800000000 } from './1796800000000-SimulatedDelivery.js';
import { DeliveryDays1796900000000 } from './1796900000000-DeliveryDays.js';
import { RoomForSpend1796910000000 } from './1796910000000-RoomForSpend.js';
import { RollUpDelivery1796920000000 } from './1796920000000-RollUpDelivery.js';
import { StatisticsJobs1796930000000 } from './1796930000000-StatisticsJobs.js';
import { DeliveryConversions1796950000000 } from './1796950000000-DeliveryConversions.js';
import { RejectedRequests1797000000000 } from './1797000000000-RejectedRequests.js';
import { AccountCountries1797010000000 } from './1797010000000-AccountCountries.js';
import { LocationIds1797030000000 } from './1797030000000-LocationIds.js';
import { FundingOfAccount1797050000000 } from './1797050000000-FundingOfAccount.js';
import { WebEventTags1797060000000 } from './1797060000000-WebEventTags.js';
import { TrackingTags1797070000000 } from './1797070000000-TrackingTags.js';
import { AppMeasurement1797070000001 } from './1797070000001-AppMeasurement.js';
import { Conversions1797071000000 } from './1797071000000-Conversions.js';
import { Engagements1797072000000 } from './1797072000000-Engagements.js';
import { LineItemApps1797080000000 } from './1797080000000-LineItemApps.js';
import { ConversionDays1797080000001 } from './1797080000001-ConversionDays.js';
import { ConversionDuplicates1797080000002 } from './1797080000002-ConversionDuplicates.js';
import { Attribution1797080000003 } from './1797080000003-Attribution.js';
import { MeasurementPartners1797080000004 } from './1797080000004-MeasurementPartners.js';
import { WebAudiences1797080000005 } from './1797080000005-WebAudiences.js';
import { OAuth2Grants1797086000000 } from './1797086000000-OAuth2Grants.js';
import { MediaMetadata1797086000001 } from './1797086000001-MediaMetadata.js';
import { AppEventKeys1797087001000 } from './1797087001000-AppEventKeys.js';
import { EngagementUsage1797087002000 } from './1797087002000-EngagementUsage.js';
import { WebAudiencesDue1797087003000 } from './1797087003000-WebAudiencesDue.js';
import { UnmatchedRequests1797087004000 } from './1797087004000-UnmatchedRequests.js';
import { UsedTokens1797087005000 } from './1797087005000-UsedTokens.js';
import { RequestMinutes1797087006000 } from './1797087006000-RequestMinutes.js';
import { WebhookExchanges1797088000000 } from './1797088000000-WebhookExchanges.js';
import { MediaSubtitles1797088001000 } from './1797088001000-MediaSubtitles.js';
import { Settings1797089000000 } from './1797089000000-Settings.js';
import { LeadForms1797089200000 } from './1797089200000-LeadForms.js';
import { AbTests1797089400000 } from './1797089400000-AbTests.js';
import { ConversionsOnly1797089500000 } from './1797089500000-ConversionsOnly.js';
import { Leads1797089600000 } from './1797089600000-Leads.js';
import { ProductCatalogs1797089700000 } from './1797089700000-ProductCatalogs.js';
import { LeadExports1797089800000 } from './1797089800000-LeadExports.js';
import { ProductSets1797089890000 } from './1797089890000-ProductSets.js';
import { IndexesOfThePreviousRelease1797090000000 } from './1797090000000-IndexesOfThePreviousRelease.js';
import { ProductsOfLineItems1797090001000 } from './1797090001000-ProductsOfLineItems.js';
import { DynamicProductAds1797090001500 } from './1797090001500-DynamicProductAds.js';
import { ScheduledFeeds1797090002000 } from './1797090002000-ScheduledFeeds.js';
import { ShownMedia1797090003000 } from './1797090003000-ShownMedia.js';
import { DraftsById1797090004000 } from './1797090004000-DraftsById.js';
import { MediaOfOwners1797090005000 } from './1797090005000-MediaOfOwners.js';
import { RemovedIdentifiers1797090006000 } from './1797090006000-RemovedIdentifiers.js';
import { ServingFlights1797090007000 } from './1797090007000-ServingFlights.js';

/** Every migration, oldest first. */
export const MIGRATIONS: Type<MigrationInterface>[] = [
  InitialSchema1795226646165,
  Credentials1795228496143,
  NonceStoreNames1795276800000,
  CustomAudiences1795278705293,
  JobQueue1795363200000,
  Creatives1795400000000,
  MediaUploads1795400100000,
  OldPreviewNotifications1795403600000,
  ScheduledPostQueues1795403700000,
  PlansOfCreatives1795403800000,
  AudienceIdentifiers1795500000000,
  DoNotReachLists1795500100000,
  Directory1795500200000,
  PostTerms1795500300000,
  FlexibleAudiences1795500400000,
  AudienceSizings1795500500000,
  LineItems1795600000000,
  ReferenceData1795600100000,
  AccountApps1795600110000,
  LocationOfTheUnitedStates1795600200000,
  DirectorySample1795600300000,
  PromotedPosts1795600400000,
  ShownByLineItems1795600410000,
  LineItemCuratedCategories1795600420000,
  TargetingCriteria1795600500000,
  AudienceSnapshots1795650000000,
  Webhooks1795700000000,
  RequestTokensApproved1795700050000,
  WebhookChecks1795700100000,
  WebhookDeliveries1795700200000,
  WebhookReplays1795700300000,
  BlobFolder1795701000000,
  MediaAttempts1795701100000,
  StorageUsage1795701200000,
  AudienceRemovals1795701210000,
  SignInUsers1795701400000,
  UserRemoval1795702000000,
  EventsFromHistory1795800000000,
  KeysBeginWithAccount1796000000000,
  PartitionAccountChanges1796100000000,
  PartitionWebhookAttempts1796100100000,
  JournaledRequests1796200000000,
  IdempotentRequests1796250000000,
  Faults1796400000000,
  Snapshots1796500000000,
  Namespaces1796550000000,
  TestClocks1796600000000,
  WebhookFaults1796650000000,
  DeliveryFacts1796700000000,
  SimulatedDelivery1796800000000,
  DeliveryDays1796900000000,
  RoomForSpend1796910000000,
  RollUpDelivery1796920000000,
  StatisticsJobs1796930000000,
  DeliveryConversions1796950000000,
  RejectedRequests1797000000000,
  AccountCountries1797010000000,
  LocationIds1797030000000,
  FundingOfAccount1797050000000,
  WebEventTags1797060000000,
  TrackingTags1797070000000,
  AppMeasurement1797070000001,
  Conversions1797071000000,
  Engagements1797072000000,
  LineItemApps1797080000000,
  ConversionDays1797080000001,
  ConversionDuplicates1797080000002,
  Attribution1797080000003,
  MeasurementPartners1797080000004,
  WebAudiences1797080000005,
  OAuth2Grants1797086000000,
  MediaMetadata1797086000001,
  AppEventKeys1797087001000,
  EngagementUsage1797087002000,
  WebAudiencesDue1797087003000,
  UnmatchedRequests1797087004000,
  UsedTokens1797087005000,
  RequestMinutes1797087006000,
  WebhookExchanges1797088000000,
  MediaSubtitles1797088001000,
  Settings1797089000000,
  LeadForms1797089200000,
  AbTests1797089400000,
  ConversionsOnly1797089500000,
  Leads1797089600000,
  ProductCatalogs1797089700000,
  LeadExports1797089800000,
  ProductSets1797089890000,
  IndexesOfThePreviousRelease1797090000000,
  ProductsOfLineItems1797090001000,
  DynamicProductAds1797090001500,
  ScheduledFeeds1797090002000,
  ShownMedia1797090003000,
  DraftsById1797090004000,
  MediaOfOwners1797090005000,
  RemovedIdentifiers1797090006000,
  ServingFlights1797090007000,
];
