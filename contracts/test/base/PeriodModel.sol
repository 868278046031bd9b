// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// @notice What was spent in the window of time that counts now.
struct Window {
    /// @dev First moment after it; sums of a window that is over count for nothing.
    uint256 endsAt;
    uint256 total;
    uint256 automatic;
    /// @dev Of the policy in force; 0 without a period.
    uint256 length;
}

/// @notice The arithmetic of spending periods a second time, by moments instead of numbers.
library PeriodModel {
    /// @dev First moment after the period of that length in which `time` lies: periods are counted
    ///      from 1970, and are days where none is configured.
    function endOf(uint256 time, uint256 length) internal pure returns (uint256) {
        uint256 seconds_ = length == 0 ? 24 * 60 * 60 : length;
        return time - time % seconds_ + seconds_;
    }

    /// @dev The sums at that moment, in memory of their own.
    function seenAt(Window memory window, uint256 time) internal pure returns (Window memory) {
        if (time >= window.endsAt) return Window(endOf(time, window.length), 0, 0, window.length);
        return Window(window.endsAt, window.total, window.automatic, window.length);
    }

    /// @dev A payment, at a moment that is not before the last one.
    function pay(Window memory window, uint256 time, uint256 amount, bool isAutomatic)
        internal
        pure
        returns (Window memory next)
    {
        next = seenAt(window, time);
        next.total += amount;
        if (isAutomatic) next.automatic += amount;
    }

    /// @dev A new policy: what its predecessor's unfinished period spent counts in its own.
    function change(Window memory window, uint256 time, uint256 length)
        internal
        pure
        returns (Window memory next)
    {
        next = seenAt(window, time);
        next.length = length;
        next.endsAt = endOf(time, length);
    }
}
