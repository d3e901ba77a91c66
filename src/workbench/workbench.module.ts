import { Module, type DynamicModule } from '@nestjs/common';
import { APP_INTERCEPTOR } from '@nestjs/core';
import { AccountsModule } from '../accounts/accounts.module.js';
import { AuthModule } from '../auth/auth.module.js';
import { AudiencesModule } from '../audiences/audiences.module.js';
import { CampaignsModule } from '../campaigns/campaigns.module.js';
import type { Config } from '../config/config.js';
import { CreativesModule } from '../creatives/creatives.module.js';
import { StatisticsModule } from '../statistics/statistics.module.js';
import { WebhooksModule } from '../webhooks/webhooks.module.js';
import { AccountClocksController, TestClocksController } from './clocks/test-clocks.controller.js';
import { AdvanceTestClockJob } from './clocks/advance-test-clock.job.js';
import { ClocksPageController } from './clocks/clocks-page.controller.js';
import { TestClockCheckJob } from './clocks/test-clock-check.job.js';
import { TestClocksService } from './clocks/test-clocks.service.js';
import { ActiveFaults } from './faults/active-faults.js';
import { FaultRetentionJob } from './faults/fault-retention.job.js';
import { FaultsController } from './faults/faults.controller.js';
import { FaultsInterceptor } from './faults/faults.interceptor.js';
import { FaultsPageController } from './faults/faults-page.controller.js';
import { FaultsService } from './faults/faults.service.js';
import { Journal } from './journal/journal.js';
import { JournalRetentionJob } from './journal/journal-retention.job.js';
import { RequestsController } from './journal/requests.controller.js';
import { RequestsPageController } from './journal/requests-page.controller.js';
import { RequestsService } from './journal/requests.service.js';
import { AccountStates } from './snapshots/account-states.service.js';
import { DemoWorld } from './snapshots/demo-world.service.js';
import { AccountStatesController, SnapshotsController } from './snapshots/snapshots.controller.js';
import { SandboxAccounts } from './sandbox-accounts.service.js';
import { ImportReferences } from './snapshots/import-references.service.js';
import { SnapshotFilesController } from './snapshots/snapshot-files.controller.js';
import { SnapshotFiles } from './snapshots/snapshot-files.service.js';
import { SnapshotsPageController } from './snapshots/snapshots-page.controller.js';
import { SnapshotsService } from './snapshots/snapshots.service.js';
import { NamespaceContents } from './namespaces/namespace-contents.js';
import { NamespaceExpiryJob } from './namespaces/namespace-expiry.job.js';
import { NamespacesController } from './namespaces/namespaces.controller.js';
import { NamespacesPageController } from './namespaces/namespaces-page.controller.js';
import { NamespacesService } from './namespaces/namespaces.service.js';
import { WorkbenchApplicationsController } from './pages/applications.controller.js';
import { WorkbenchPages } from './pages/workbench-pages.js';
import { WebhooksPageController } from './webhooks/webhooks-page.controller.js';
import { ReadableAccounts, StatisticsPageController } from './statistics/statistics-page.controller.js';
import { WorkbenchRemoval } from './workbench-removal.js';

const CONTROLLERS = [
  TestClocksController,
  FaultsController,
  NamespacesController,
  RequestsController,
  SnapshotsController,
  AccountClocksController,
  SnapshotFilesController,
  AccountStatesController,
  WorkbenchApplicationsController,
  RequestsPageController,
  FaultsPageController,
  SnapshotsPageController,
  NamespacesPageController,
  ClocksPageController,
  StatisticsPageController,
  WebhooksPageController,
];

const TOOLS = [
  TestClocksService,
  Journal,
  RequestsService,
  ActiveFaults,
  FaultsService,
  ReadableAccounts,
  AccountStates,
  DemoWorld,
  SnapshotsService,
  SnapshotFiles,
  ImportReferences,
  { provide: APP_INTERCEPTOR, useClass: FaultsInterceptor },
  WorkbenchPages,
];

const JOBS = [
  SandboxAccounts,
  AdvanceTestClockJob,
  TestClockCheckJob,
  JournalRetentionJob,
  FaultRetentionJob,
  NamespaceContents,
  NamespacesService,
  NamespaceExpiryJob,
  WorkbenchRemoval,
];

/** Tools for the tests of integrators. Without them, only their jobs run, on what was stored before. */
@Module({})
export class WorkbenchModule {
  static forRoot({ workbench }: Pick<Config, 'workbench'>): DynamicModule {
    return {
      module: WorkbenchModule,
      imports: [
        AuthModule,
        AccountsModule,
        CreativesModule,
        AudiencesModule,
        CampaignsModule,
        StatisticsModule,
        WebhooksModule,
      ],
      controllers: workbench ? CONTROLLERS : [],
      providers: [...JOBS, ...(workbench ? TOOLS : [])],
    };
  }
}
