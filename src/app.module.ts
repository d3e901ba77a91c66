import { Module, type DynamicModule } from '@nestjs/common';
import { AccountsModule } from './accounts/accounts.module.js';
import { AudiencesModule } from './audiences/audiences.module.js';
import { AuthModule } from './auth/auth.module.js';
import { CampaignsModule } from './campaigns/campaigns.module.js';
import { CatalogsModule } from './catalogs/catalogs.module.js';
import { CoreModule, type Platform } from './common/core.module.js';
import { CreativesModule } from './creatives/creatives.module.js';
import { DemoModule } from './demo/demo.module.js';
import { AppMeasurementModule } from './app-measurement/app-measurement.module.js';
import { MeasurementModule } from './measurement/measurement.module.js';
import { OperationsModule } from './operations/operations.module.js';
import { SandboxModule } from './sandbox/sandbox.module.js';
import { LeadExportsModule } from './lead-exports/lead-exports.module.js';
import { StatisticsModule } from './statistics/statistics.module.js';
import { WebhooksModule } from './webhooks/webhooks.module.js';
import { WorkbenchModule } from './workbench/workbench.module.js';

/** Composes the domains. The sandbox is always included; its guards return 404 outside it. */
@Module({})
export class AppModule {
  static forRoot(platform: Platform): DynamicModule {
    return {
      module: AppModule,
      imports: [
        CoreModule.forRoot(platform),
        OperationsModule.forRoot(platform.config),
        AuthModule,
        AccountsModule,
        CreativesModule,
        AudiencesModule,
        AppMeasurementModule,
        MeasurementModule,
        CatalogsModule,
        CampaignsModule,
        StatisticsModule,
        LeadExportsModule,
        WebhooksModule,
        WorkbenchModule.forRoot(platform.config),
        SandboxModule,
        DemoModule,
      ],
    };
  }
}
