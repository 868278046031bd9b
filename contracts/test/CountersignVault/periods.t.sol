// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {IVaultRecords} from "../../src/IVaultRecords.sol";
import {Order} from "../base/Order.sol";
import {PeriodModel, Window} from "../base/PeriodModel.sol";
import {PolicyTest} from "../base/PolicyTest.sol";
import {vm} from "../base/Vm.sol";

/// @notice What counts in a spending period, across payments, policies and boundaries.
contract PeriodsTest is PolicyTest {
    using PeriodModel for Window;

    /// @dev Midnight.
    uint256 private constant DAY = (NOW / 1 days + 1) * 1 days;
    uint256 private payments;
    uint256 private chance;

    function setUp() public override {
        super.setUp();
        vm.warp(DAY);
    }

    function test_spentInPeriod_succeeds_withNothingBeforeAnyPolicy() external {
        vault = _newVault(owner, vault.token(), ORGANIZATION);
        vm.warp(DAY + 5);
        _spent(0, 0, DAY + 1 days);
    }

    function test_spentInPeriod_succeeds_andCountsInDaysWithoutAPeriod() external {
        _pay(30, true);
        _pay(12, false);
        _spent(42, 30, DAY + 1 days);
        vm.warp(DAY + 1 days - 1);
        _spent(42, 30, DAY + 1 days);
        vm.warp(DAY + 1 days);
        _spent(0, 0, DAY + 2 days);
        _pay(5, false);
        _spent(5, 0, DAY + 2 days);
    }

    function test_spentInPeriod_succeeds_withPeriodsOfAnyLength(uint32 length, uint64 time)
        external
    {
        length = uint32(_bound(length, 1 hours, 365 days));
        vm.warp(_bound(time, NOW, NOW + 3650 days));
        _configure(_periodic(length, 1000, 1000));
        uint256 endsAt = (block.timestamp / length + 1) * length;
        _pay(7, true);
        _spent(7, 7, endsAt);
        vm.warp(endsAt - 1);
        _spent(7, 7, endsAt);
        vm.warp(endsAt);
        _spent(0, 0, endsAt + length);
    }

    /// @dev Automatic payments count against both caps, approved ones against the total alone.
    function test_executeAutomatic_reverts_aboveTheAutomaticPeriodCap() external {
        _configure(_periodic(1 days, 100, 40));
        _pay(30, true);
        _automaticReverts(
            _order(11),
            abi.encodeWithSelector(
                IVaultRecords.AutomaticPeriodCapExceeded.selector, 41, 40, DAY + 1 days
            )
        );
        _pay(10, true);
        _pay(60, false);
        _approvedReverts(_order(1), _exceeded(101, 100, DAY + 1 days));
        _automaticReverts(_order(1), _exceeded(101, 100, DAY + 1 days));
        vm.warp(DAY + 1 days);
        _pay(40, true);
    }

    /// @dev The total is looked at first, the automatic sum only for automatic payments.
    function test_executeApproved_succeeds_whenTheAutomaticPeriodCapIsUsedUp() external {
        _configure(_periodic(1 days, 100, 40));
        _pay(40, true);
        _configure(_periodic(1 days, 100, 20));
        _pay(60, false);
        _spent(100, 40, DAY + 1 days);
    }

    /// @dev The cap belongs to a window on the clock: twice as much can leave around its end.
    function test_executeApproved_succeeds_withTwiceTheCapAroundABoundary() external {
        _configure(_periodic(1 hours, 100, 0));
        vm.warp(DAY + 1 hours - 1);
        _pay(100, false);
        _approvedReverts(_order(1), _exceeded(101, 100, DAY + 1 hours));
        vm.warp(DAY + 1 hours);
        _pay(100, false);
        _approvedReverts(_order(1), _exceeded(101, 100, DAY + 2 hours));
    }

    function test_configurePolicy_succeeds_andKeepsTheSumsOfAnUnfinishedPeriod() external {
        _configure(_periodic(1 days, 100, 100));
        _pay(60, true);
        vm.warp(DAY + 5 hours);
        _configure(_periodic(1 days, 100, 100));
        _spent(60, 60, DAY + 1 days);
        _approvedReverts(_order(41), _exceeded(101, 100, DAY + 1 days));
    }

    /// @dev A shorter period begins with what the longer one has spent; and so the other way round.
    function test_configurePolicy_succeeds_andCarriesTheSumsIntoAnotherLength() external {
        _configure(_periodic(7 days, 100, 100));
        _pay(60, true);
        _configure(_periodic(1 hours, 100, 100));
        _spent(60, 60, DAY + 1 hours);
        _configure(_periodic(30 days, 100, 100));
        _spent(60, 60, (DAY / 30 days + 1) * 30 days);
        _configure(_config());
        _spent(60, 60, DAY + 1 days);
        _configure(_periodic(2 hours, 100, 100));
        _spent(60, 60, DAY + 2 hours);
    }

    function test_configurePolicy_succeeds_andForgetsAFinishedPeriod() external {
        _configure(_periodic(1 hours, 100, 100));
        _pay(60, true);
        vm.warp(DAY + 1 hours);
        _configure(_periodic(1 days, 100, 100));
        _spent(0, 0, DAY + 1 days);
        _pay(100, false);
    }

    /// @dev Numbers of periods of different lengths can be equal by chance; that means nothing.
    function test_configurePolicy_succeeds_whenAnotherLengthGivesTheSameNumber() external {
        uint256 number = DAY / 1 hours;
        _configure(_periodic(1 hours, 100, 100));
        _pay(60, true);
        vm.warp(number * 2 hours);
        _configure(_periodic(2 hours, 100, 100));
        _spent(0, 0, (number + 1) * 2 hours);
        _pay(100, true);
    }

    /// @dev A policy may lower the cap below what was spent; nothing more leaves in this period.
    function test_configurePolicy_succeeds_withACapBelowWhatWasSpent() external {
        _pay(60, true);
        _configure(_periodic(1 days, 50, 50));
        _automaticReverts(_order(1), _exceeded(61, 50, DAY + 1 days));
        vm.warp(DAY + 1 days);
        _pay(50, true);
    }

    function test_emergencyPause_succeeds_andKeepsTheSums() external {
        _configure(_periodic(1 days, 100, 100));
        _pay(60, true);
        vm.prank(executor);
        vault.emergencyPause();
        vm.prank(owner);
        vault.unpause(1);
        _spent(60, 60, DAY + 1 days);
    }

    /// @dev Payments, policies and waiting in any order: the sums, the end, and what is refused are
    ///      those of the model.
    function test_spentInPeriod_succeeds_asTheModelSays(uint256 seed) external {
        chance = seed;
        IVaultRecords.PolicyConfig memory config = _config();
        Window memory window;
        for (uint256 i = 0; i < 24; ++i) {
            window = window.seenAt(block.timestamp);
            uint256 action = _roll(8);
            if (action == 0) {
                config = _anyPolicy();
                _configure(config);
                window = window.change(block.timestamp, config.periodSeconds);
            } else if (action < 3) {
                uint256 end = window.endsAt;
                uint256 later = block.timestamp + _roll(3 days);
                vm.warp(action == 1 && _roll(2) == 0 ? end - _roll(2) : later);
            } else {
                window = _payAsModelled(config, window);
            }
            Window memory current = window.seenAt(block.timestamp);
            _spent(current.total, current.automatic, current.endsAt);
        }
    }

    function _payAsModelled(IVaultRecords.PolicyConfig memory config, Window memory window)
        private
        returns (Window memory)
    {
        bool isAutomatic = _roll(2) == 0;
        uint256 amount = 1 + _roll(60);
        Window memory next = window.pay(block.timestamp, amount, isAutomatic);
        bytes memory err = "";
        if (config.periodSeconds > 0 && next.total > config.periodCap) {
            err = _exceeded(next.total, config.periodCap, next.endsAt);
        } else if (
            config.periodSeconds > 0 && isAutomatic && next.automatic > config.automaticPeriodCap
        ) {
            err = abi.encodeWithSelector(
                IVaultRecords.AutomaticPeriodCapExceeded.selector,
                next.automatic,
                config.automaticPeriodCap,
                next.endsAt
            );
        }
        if (err.length == 0) {
            _pay(amount, isAutomatic);
            return next;
        }
        if (isAutomatic) _automaticReverts(_order(amount), err);
        else _approvedReverts(_order(amount), err);
        return window.seenAt(block.timestamp);
    }

    function _anyPolicy() private returns (IVaultRecords.PolicyConfig memory config) {
        uint32[6] memory lengths = [0, 1 hours, 5000, 1 days, 7 days, 365 days];
        uint32 length = lengths[_roll(6)];
        uint128 cap = length == 0 ? 0 : uint128(_roll(200));
        config = _periodic(length, cap, uint128(_roll(uint256(cap) + 1)));
    }

    function _roll(uint256 sides) private returns (uint256) {
        chance = uint256(keccak256(abi.encode(chance)));
        return chance % sides;
    }

    function _config()
        internal
        view
        override
        returns (IVaultRecords.PolicyConfig memory config)
    {
        config = super._config();
        config.expiresAt = type(uint64).max;
    }

    function _order(uint256 amount) private view returns (Order memory order) {
        order = _order();
        order.paymentId = keccak256(abi.encode(payments));
        order.amount = amount;
    }

    function _pay(uint256 amount, bool isAutomatic) private {
        if (isAutomatic) _automates(_order(amount));
        else _approves(_order(amount));
        ++payments;
    }

    function _spent(uint256 total, uint256 automatic, uint256 endsAt) private view {
        (uint128 total_, uint128 automatic_, uint256 endsAt_) = vault.spentInPeriod();
        vm.assertEq(total_, total, "total");
        vm.assertEq(automatic_, automatic, "automatic");
        vm.assertEq(endsAt_, endsAt, "endsAt");
    }

    function _exceeded(uint256 spentAfter, uint256 cap, uint256 endsAt)
        private
        pure
        returns (bytes memory)
    {
        return abi.encodeWithSelector(
            IVaultRecords.PeriodCapExceeded.selector, spentAfter, cap, endsAt
        );
    }
}
